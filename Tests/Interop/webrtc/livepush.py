"""A relay pushes a live stream by WHIP: to a second relay, and to Janus behind a strict WHIP endpoint."""

import json
import secrets
import socket
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import clients
import media
from relay import RelayError, free_media_port, free_tcp_port, free_udp_pair
from webrtc import janus, whip_client
from webrtc.network import CLIENT
from webrtc.pairs import OWN, from_ffmpeg

ALLOWED = ["--live-allow-private", "--live-allow-http"]


def publisher(bench):
    """Returns a relay with a published stream, and the published file."""
    bench.need_network()
    relay = bench.relay(extra=ALLOWED, name="first")
    file = whip_client.File(bench.work / "sources", OWN)
    bench.keep(from_ffmpeg(bench, relay, file))
    clients.wait_until(lambda: relay.has_stream("file"), 10, "the publisher's stream")
    return relay, file


def start(relay, to, token=None):
    body = {"to": to, "stream": "cam1", **({"token": token} if token else {})}
    return json.loads(relay.request("POST", "/v1/admin/sessions/file/live", body)[0])["id"]


def is_live(relay):
    return [live["isLive"] for live in json.loads(relay.request("GET", "/v1/admin/sessions/file/live")[0])["live"]] == [True]


def record(relay, path, seconds):
    """Reads the pushed stream from the second relay as a file."""
    request = urllib.request.Request(f"{relay.url}/v1/admin/sessions/pushed/streams/cam1/live.webm",
                                     headers={"authorization": f"Bearer {relay.admin_token}"})
    end = time.monotonic() + seconds
    with urllib.request.urlopen(request, timeout=20) as answer, open(path, "wb") as file:
        while time.monotonic() < end:
            file.write(answer.read1(1 << 16))


def check_record(bench, name, file, path, text):
    """Checks that frames and audio packets are those of the published file, without a gap."""
    for kind, least in (("v", 60), ("a", 100)):
        sent = media.packet_checksums(file.path, kind)
        # The last frame may be cut.
        received = media.packet_checksums(path, kind)[:-1]
        doubled = sent + sent
        starts = [index for index, checksum in enumerate(sent) if received and checksum == received[0]]
        bench.reporter.check(name, f"{'frames' if kind == 'v' else 'audio packets'} arrive unchanged and without a gap, {text}",
                             len(received) > least and any(doubled[s:s + len(received)] == received for s in starts), received=len(received))


def to_relay(bench, name):
    first, file = publisher(bench)
    check = bench.reporter.check
    ports = {"port": free_tcp_port(), "webrtc_port": free_media_port()}
    second = bench.relay(apart=True, name="second", **ports)
    began = time.monotonic()
    live = start(first, second.whip("pushed"))
    clients.wait_until(lambda: second.has_stream("pushed") and is_live(first), 15, "the pushed stream")
    check(name, "the stream is pushed", True, seconds=round(time.monotonic() - began, 2))
    record(second, bench.current / "before.webm", 4)
    check_record(bench, name, file, bench.current / "before.webm", "to the second relay")

    second.kill()
    clients.wait_until(lambda: not is_live(first), 30, "the loss of the second relay")
    time.sleep(2)
    second = bench.relay(apart=True, name="second-again", **ports)
    began = time.monotonic()
    clients.wait_until(lambda: second.has_stream("pushed") and is_live(first), 40, "the stream after the kill")
    check(name, "it is pushed again after the second relay was killed and started", True, seconds=round(time.monotonic() - began, 2))
    record(second, bench.current / "after.webm", 4)
    check_record(bench, name, file, bench.current / "after.webm", "after the kill")

    first.request("DELETE", f"/v1/admin/sessions/file/live/{live}")
    clients.wait_until(lambda: not second.has_stream("pushed"), 5, "the end of the pushed stream")
    check(name, "its resource is deleted at the end", True)


def programme(bench, name):
    """The programme of a session with two publishers: one is shown, both are heard; when the shown one leaves, the other is shown."""
    bench.need_network()
    check = bench.reporter.check
    first = bench.relay(extra=ALLOWED, name="first")
    second = bench.relay(apart=True, name="second")
    file = whip_client.File(bench.work / "sources", OWN)
    tones, publishers = (500, 1300), []
    for number, hertz in enumerate(tones):
        path = bench.current / f"tone{hertz}.webm"
        media.run(["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", file.path, "-f", "lavfi", "-i", f"sine=f={hertz}:d=30:r=48000", "-map", "0:v", "-map", "1:a",
                   "-c:v", "copy", "-c:a", "libopus", "-ac", 2, "-b:a", "96k", path])
        way_in = first.open("publish", "file", stream=f"cam{number}")
        publishers.append((way_in, bench.keep(clients.ffmpeg_publisher(way_in, path, bench.current / f"publisher{number}.log", loop=True))))
    clients.wait_until(lambda: first.has_stream("file"), 10, "the publishers' streams")
    body = {"to": second.whip("pushed")}
    live = json.loads(first.request("POST", "/v1/admin/sessions/file/live", body)[0])["id"]
    clients.wait_until(lambda: second.has_stream("pushed") and is_live(first), 15, "the pushed programme")
    listed = json.loads(first.request("GET", "/v1/admin/sessions/file/live")[0])["live"]
    check(name, "the list has it without a stream", "stream" not in listed[0], live=listed)
    known = set(media.packet_checksums(file.path, "v"))
    # Video begins with a publisher's next key frame: a file cannot make one on request.
    time.sleep(3)

    def look(text, path, heard):
        record(second, path, 5)
        frames = media.packet_checksums(path, "v")[:-1]
        check(name, f"frames of a publisher arrive unchanged, {text}", len(frames) > 60 and all(frame in known for frame in frames), frames=len(frames))
        shares = media.tone_shares(path, *tones)
        check(name, f"the audio is that of {heard}", all((share > 0.3) == (heard in ("both", hertz)) and (share > 0.3 or share < 0.05)
                                                        for share, hertz in zip(shares, tones)), shares=[round(share, 3) for share in shares])
    look("of two publishers", bench.current / "both.webm", "both")
    way_in, shown = publishers[0]
    first.close(way_in)
    shown.stop()
    time.sleep(1)
    look("after the shown one has left", bench.current / "other.webm", tones[1])
    check(name, "the push has not been interrupted", is_live(first))
    first.request("DELETE", f"/v1/admin/sessions/file/live/{live}")
    clients.wait_until(lambda: not second.has_stream("pushed"), 5, "the end of the pushed programme")
    check(name, "its resource is deleted at the end", True)


class Endpoint:
    """A WHIP endpoint before a Janus VideoRoom, which refuses requests that RFC 9725 does not allow. It redirects the first request."""

    def __init__(self, room):
        self.room, self.key, self.faults, self.resources, self.deleted = room, secrets.token_hex(16), [], {}, 0
        self.patched = set()
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def reply(self, status, fields=None, body=b""):
                self.send_response(status)
                for field, value in {**(fields or {}), "Content-Length": str(len(body))}.items():
                    self.send_header(field, value)
                self.end_headers()
                self.wfile.write(body)

            def permitted(self):
                if self.headers["Authorization"] == f"Bearer {endpoint.key}":
                    return True
                endpoint.faults.append(f"{self.command} without the token")
                self.reply(401)
                return False

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"] or 0))
                if not self.permitted():
                    return None
                if self.headers["Content-Type"] != "application/sdp":
                    endpoint.faults.append("POST of another media type")
                    return self.reply(415)
                if self.path == "/whip":
                    return self.reply(307, {"Location": "/whip/room"})
                try:
                    handle, answer = endpoint.room.admit(body.decode())
                except (OSError, RuntimeError) as error:
                    return self.reply(503, {"Retry-After": "1"}, str(error).encode())
                resource = handle[1].rpartition("/")[2]
                endpoint.resources[f"/resource/{resource}"] = handle
                return self.reply(201, {"Content-Type": "application/sdp", "Location": f"../resource/{resource}", "ETag": f'"{resource}"'},
                                  answer.encode())

            def do_PATCH(self):
                """Refuses candidates and ICE restarts, as a server may (RFC 9725 section 4.3). It is asked once for each resource."""
                self.rfile.read(int(self.headers["Content-Length"] or 0))
                if not self.permitted():
                    return
                if self.path in endpoint.patched:
                    endpoint.faults.append(f"PATCH of {self.path} again")
                endpoint.patched.add(self.path)
                self.reply(405, {"Allow": "DELETE"})

            def do_DELETE(self):
                if not self.permitted():
                    return
                handle = endpoint.resources.pop(self.path, None)
                if handle is None:
                    endpoint.faults.append(f"DELETE of {self.path}")
                    return self.reply(404)
                endpoint.deleted += 1
                try:
                    endpoint.room.dismiss(handle)
                except (OSError, RuntimeError):
                    pass
                return self.reply(200)

            def __getattr__(self, name):
                if name.startswith("do_"):
                    endpoint.faults.append(f"method {name[3:]}")
                raise AttributeError(name)

        self.server = ThreadingHTTPServer((CLIENT, 0), Handler)
        self.url = f"http://{CLIENT}:{self.server.server_port}/whip"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()


class Room(janus.Janus):
    """Janus with its publishers as the WHIP endpoint needs them."""

    def admit(self, offer):
        handle = self.api.attach(self.session)
        joined = self.api.message(handle, request="join", ptype="publisher", room=janus.ROOM)
        self._feeds["last"] = joined["id"]
        answer = self.api.message(handle, {"type": "offer", "sdp": offer}, request="configure", audio=True, video=True)
        return handle, answer["jsep"]["sdp"]

    def dismiss(self, handle):
        self.api.ask(handle[1], janus="detach")

    def received(self, seconds):
        """Returns how many packets of audio, packets of video and frames Janus received from its last publisher in some seconds."""
        sockets = []
        for _ in range(2):
            receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            receiver.bind((CLIENT, free_udp_pair()))
            receiver.settimeout(0.1)
            sockets.append(receiver)
        streams = [{"mid": str(mid), "host": CLIENT, "port": receiver.getsockname()[1]} for mid, receiver in enumerate(sockets)]
        self.api.message(self.api.attach(self.session), request="rtp_forward", room=janus.ROOM, publisher_id=self._feeds["last"], host=CLIENT, streams=streams)
        counts, frames, end = [0, 0], 0, time.monotonic() + seconds
        while time.monotonic() < end:
            for index, receiver in enumerate(sockets):
                try:
                    packet = receiver.recv(2048)
                except TimeoutError:
                    continue
                counts[index] += 1
                frames += index == 1 and packet[1] >> 7
        return (*counts, frames)


def to_janus(bench, name):
    bench.need(janus.found(), "janus")
    first, _ = publisher(bench)
    check = bench.reporter.check
    room = Room(bench)
    endpoint = bench.keep(Endpoint(room))
    try:
        live = start(first, endpoint.url, endpoint.key)
        clients.wait_until(lambda: is_live(first), 15, "the push to Janus")
        audio, packets, frames = room.received(4)
        check(name, "Janus receives audio and video", audio > 50 and frames > 30, audio=audio, video=packets, frames=frames)
        room.process.kill()
        clients.wait_until(lambda: not is_live(first), 30, "the loss of Janus")
        time.sleep(2)
        endpoint.room = room = Room(bench)
        clients.wait_until(lambda: is_live(first), 45, "the push after the kill")
        audio, packets, frames = room.received(4)
        check(name, "Janus receives them again after it was killed and started", audio > 50 and frames > 30, audio=audio, video=packets, frames=frames)
        first.request("DELETE", f"/v1/admin/sessions/file/live/{live}")
        clients.wait_until(lambda: not endpoint.resources, 5, "the deletion of the resource")
        check(name, "each resource is deleted, and no request is refused", endpoint.deleted == 2 and not endpoint.faults, deleted=endpoint.deleted,
              faults=endpoint.faults)
    finally:
        room.stop()


def refused(bench, name):
    """Without `--live-allow-private`, the network of the relay cannot be reached; a host gets the reason."""
    bench.need_network()
    relay = bench.relay(name="first", extra=["--live-allow-http"])
    file = whip_client.File(bench.work / "sources", OWN)
    bench.keep(from_ffmpeg(bench, relay, file))
    clients.wait_until(lambda: relay.has_stream("file"), 10, "the publisher's stream")
    asked = []
    with socket.socket() as trap:
        trap.bind((CLIENT, 0))
        trap.listen()
        trap.settimeout(0.5)
        start(relay, f"http://{CLIENT}:{trap.getsockname()[1]}/whip")
        clients.wait_until(lambda: not json.loads(relay.request("GET", "/v1/admin/sessions/file/live")[0])["live"], 5, "the refusal")
        try:
            asked.append(trap.accept())
        except TimeoutError:
            pass
    bench.reporter.check(name, "no connection is made to an address of the relay's network", not asked)
    try:
        start(relay, "ftp://live.example/")
        bench.reporter.check(name, "another scheme is refused", False)
    except RelayError as error:
        bench.reporter.check(name, "another scheme is refused", error.status == 422, code=error.code)


ALL = [
    ("live push to a relay", to_relay),
    ("live push of a programme", programme),
    ("live push to Janus", to_janus),
    ("live push to a refused address", refused),
]
