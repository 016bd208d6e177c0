"""WHIP and WHEP endpoints in front of Debian's Janus (VideoRoom), which has neither, for tools/bench peers:

  tools/bench peers --start 'Janus=python3 tools/bench_janus.py --address {address} --port 18080' \\
    --peer 'Janus,http://{address}:18080/whip/{session}/{stream},http://{address}:18080/whep/{session}/{stream},-'

Janus is started and ends with this program. In VideoRoom Janus itself makes the offer to a subscriber. The client of WHEP makes one too, so
both get an answer that is made from the offer of the other side; Janus is ICE-lite and passive in the DTLS handshake.

Janus gathers no candidates of 127.0.0.1: the loopback half needs --loopback-address with another address of this machine."""

import argparse
import http.server
import pathlib
import re
import secrets
import socket
import subprocess
import sys
import tempfile
import threading
import time

from bench_process import ROOT, end_in_order, started, stopped

sys.path.insert(0, str(ROOT / "Tests/Interop"))
sys.dont_write_bytecode = True

from webrtc import janus  # noqa: E402


def values(sdp, name):
    """Returns the values of all attributes with this name."""
    return re.findall(rf"^a={name}:(.*?)\r?$", sdp, re.M)


def answer_to_client(offer, client):
    """Returns the answer to a client's offer of one section, from the offer of Janus: Janus' own description in the passive role."""
    (own,), (mid,) = values(offer, "mid"), values(client, "mid")
    text = re.sub(r"^a=setup:.*$", "a=setup:passive\r", offer.replace("\r\n", "\n"), flags=re.M).replace("\r", "")
    text = text.replace(f"a=mid:{own}\n", f"a=mid:{mid}\n").replace(f"a=group:BUNDLE {own}\n", f"a=group:BUNDLE {mid}\n")
    return text.replace("\n", "\r\n")


def answer_to_janus(offer, client):
    """Returns the answer to Janus' offer, from the offer of a client: the client's credentials, certificate and candidates, and the header
    extensions and RTCP feedback that it has."""
    extensions = {value.split()[-1] for value in values(client, "extmap")}
    feedback = {value.split(" ", 1)[1] for value in values(client, "rtcp-fb")}
    replaced = {"ice-ufrag": values(client, "ice-ufrag")[0], "ice-pwd": values(client, "ice-pwd")[0],
                "fingerprint": values(client, "fingerprint")[0], "setup": "active"}
    lines = []
    for line in offer.replace("\r\n", "\n").splitlines():
        name, _, value = line[2:].partition(":") if line.startswith("a=") else ("", "", "")
        if name in ("ssrc", "ssrc-group", "msid", "candidate", "end-of-candidates", "ice-lite"):
            continue
        if name == "extmap" and value.split()[-1] not in extensions or name == "rtcp-fb" and value.split(" ", 1)[1] not in feedback:
            continue
        if name in replaced:
            line = f"a={name}:{replaced[name]}"
        lines.append("a=recvonly" if line == "a=sendonly" else line)
    lines += [f"a=candidate:{value}" for value in values(client, "candidate")]
    return "".join(f"{line}\r\n" for line in lines)


class Front:
    """Resources of WHIP and WHEP, each a session of Janus with one handle."""

    def __init__(self, url):
        self.api, self.lock = janus.API(url), threading.Lock()
        self.rooms, self.feeds, self.resources = {}, {}, {}
        self.keeper = self.handle()

    def handle(self):
        return self.api.attach(self.api.session())

    def room(self, session):
        with self.lock:
            if session not in self.rooms:
                self.rooms[session] = len(self.rooms) + 1
                self.api.message(self.keeper, request="create", room=self.rooms[session], publishers=20, audiocodec="opus", videocodec="vp8", bitrate=0,
                             notify_joining=False)
            return self.rooms[session]

    def publish(self, session, stream, offer):
        room, handle = self.room(session), self.handle()
        self.feeds[session, stream] = self.api.message(handle, request="join", ptype="publisher", room=room)["id"]
        answer = self.api.message(handle, {"type": "offer", "sdp": offer}, request="configure", audio="m=audio" in offer, video="m=video" in offer)
        return self.resource(handle), answer["jsep"]["sdp"]

    def subscribe(self, session, stream, offer):
        room, handle = self.room(session), self.handle()
        # A feed can be joined a moment after its publisher is connected.
        end = time.monotonic() + 5
        while True:
            try:
                made = self.api.message(handle, request="join", ptype="subscriber", room=room, streams=[{"feed": self.feeds[session, stream]}])
                break
            except RuntimeError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)
        theirs = made["jsep"]["sdp"]
        self.api.message(handle, {"type": "answer", "sdp": answer_to_janus(theirs, offer)}, request="start")
        return self.resource(handle), answer_to_client(theirs, offer)

    def resource(self, handle):
        name = secrets.token_hex(8)
        self.resources[name] = handle
        return name

    def close(self, name):
        handle = self.resources.pop(name, None)
        if handle:
            self.api.ask(handle[0], janus="destroy")


class Handler(http.server.BaseHTTPRequestHandler):
    front = None

    def do_POST(self):
        parts = self.path.strip("/").split("/")
        offer = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        if len(parts) != 3 or parts[0] not in ("whip", "whep"):
            return self.reply(404)
        try:
            name, sdp = (self.front.publish if parts[0] == "whip" else self.front.subscribe)(*parts[1:], offer)
        except (KeyError, ValueError, RuntimeError, OSError) as error:
            print(f"{self.path}: {error!r}", file=sys.stderr, flush=True)
            return self.reply(500)
        return self.reply(201, sdp, {"Location": f"/resource/{name}", "Content-Type": "application/sdp"})

    def do_DELETE(self):
        self.front.close(self.path.rsplit("/", 1)[-1])
        self.reply(200)

    def reply(self, status, text="", fields=None):
        self.send_response(status)
        for name, value in {**(fields or {}), "Content-Length": str(len(text.encode()))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


def main():
    parser = argparse.ArgumentParser(prog="tools/bench_janus.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--address", required=True, help="address of this machine, for HTTP and media")
    parser.add_argument("--port", type=int, required=True, help="TCP port of the endpoints; Janus' own HTTP is at the next one")
    arguments = parser.parse_args()
    if not janus.found():
        print("Janus is not installed (tools/setup --for bench)", file=sys.stderr)
        return 2
    end_in_order()
    with tempfile.TemporaryDirectory() as folder:
        janus.configure(pathlib.Path(folder) / "janus", arguments.port + 1, arguments.address)
        process = started(["janus", "--configs-folder", f"{folder}/janus", "--disable-colors"], stdin=subprocess.DEVNULL)
        try:
            end = time.monotonic() + 15
            while process.poll() is None and time.monotonic() < end:
                with socket.socket() as probe:
                    if probe.connect_ex((arguments.address, arguments.port + 1)) == 0:
                        break
                time.sleep(0.05)
            Handler.front = Front(f"http://{arguments.address}:{arguments.port + 1}/janus")
            http.server.ThreadingHTTPServer((arguments.address, arguments.port), Handler).serve_forever(poll_interval=5)
        except KeyboardInterrupt:
            return 0
        finally:
            stopped(process)


if __name__ == "__main__":
    sys.exit(main())
