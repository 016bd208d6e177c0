"""The cases: each takes the bench and its name, and reports checks."""

import base64
import json
import pathlib
import secrets
import statistics
import time
import urllib.request

import clients
import media
import srtcp
from bridges import ingest, live_by_ffmpeg
from clients import CM_32, CM_80, GCM
from participant import Participant
from proxy import HostileProxy
from recorded import check_composed, check_mixed, check_recorded, check_session_file, check_still, recordings
from relay import RelayError, free_udp_pair

# Seconds after the publisher's end: jitter buffers drain, files are written.
SETTLE = 2.0


def contains_run(whole, part):
    """Returns the index at which `part` is a contiguous piece of `whole`, or -1."""
    if not part:
        return -1
    try:
        start = whole.index(part[0])
    except ValueError:
        return -1
    return start if whole[start:start + len(part)] == part else -1


def check_receiver(bench, case, receiver, source):
    """Checks that everything was received and decoded, and equals the sent media. Packets of H.264 are no frames of the file: parameter sets and
    start codes differ."""
    report = bench.reporter.check
    if not receiver.recording.exists():
        return report(case, "received a recording", False, log=receiver.process.tail())
    decoded = receiver.decoded
    report(case, "every frame is decoded, identical to the sent one", decoded == source.frames,
           decoded=len(decoded), sent=len(source.frames))
    if source.codec != "H264":
        encoded = media.packet_checksums(receiver.recording, "v")
        report(case, "no encoded frame lost or changed", encoded == source.encoded_frames, received=len(encoded),
               sent=len(source.encoded_frames))
    numbers = media.frame_numbers(receiver.recording)
    report(case, "every frame number seen, in order", numbers == list(range(len(source.frames))), seen=len(numbers))
    audio = media.packet_checksums(receiver.recording, "a")
    report(case, "no audio packet lost or changed", audio == source.audio_packets, received=len(audio),
           sent=len(source.audio_packets))
    left, right, seconds = media.tones(receiver.audio)
    report(case, "the tones are right: 440 Hz left, 660 Hz right", left > 0.95 and right > 0.95,
           left=round(left, 3), right=round(right, 3), seconds=round(seconds, 2))
    return None


# MARK: without a relay

def direct(publisher, receiver, suite=CM_80, mux=False, codec="VP8"):
    """Publisher to receiver: proves the command lines that the other cases depend on."""
    def case(bench, name):
        source, folder = bench.source(codec=codec), bench.folder("direct " + name)
        key = base64.b64encode(secrets.token_bytes(28 if suite == GCM else 30)).decode()
        tracks = []
        for payload_type, ssrc in ((111, 0x1234), (96, 0x5678)):
            port = free_udp_pair()
            tracks.append(clients.Track(port, port if mux else port + 1, payload_type, ssrc))
        route = clients.Route("127.0.0.1", suite, key, *tracks, rtcp_mux=mux)
        route.sdp = "\r\n".join([
            "v=0", "o=- 0 0 IN IP4 127.0.0.1", "s=direct", "c=IN IP4 127.0.0.1", "t=0 0",
            f"m=audio {tracks[0].port} RTP/SAVP 111", "a=rtpmap:111 opus/48000/2", "a=fmtp:111 sprop-stereo=1",
            f"a=crypto:1 {suite} inline:{key}",
            f"m=video {tracks[1].port} RTP/SAVP 96", f"a=rtpmap:96 {codec}/90000", f"a=crypto:1 {suite} inline:{key}", ""])
        receiving = clients.RECEIVERS[receiver](route, folder)
        try:
            options = {"codec": codec} if publisher == "ffmpeg" else {}
            publish(bench, clients.PUBLISHERS[publisher](route, source.path, folder / "publisher.log", **options), source)
        finally:
            receiving.stop()
        check_receiver(bench, name, receiving, source)
    return case


def stop_receivers(relay, running):
    """Closes transports first: while sender reports arrive, ffmpeg does not notice an interrupt."""
    for _, _, route in running:
        relay.close(route)
    for _, receiver, _ in running:
        receiver.stop()


def publish(bench, publisher, source, extra=SETTLE):
    """Waits for the publisher's end. gst-launch waits for sinks that never end, so it is stopped after its time."""
    try:
        publisher.wait(source.seconds + (8 if "ffmpeg" in publisher.name else 1.0))
    finally:
        ended = not publisher.running
        publisher.stop()
    if ended and publisher.process.returncode != 0:
        raise media.MediaError(f"the publisher failed: {publisher.tail()}")
    time.sleep(extra)


# MARK: pairings through the relay

def pairings(publisher, suite=CM_80, mux=False, receivers=None, seconds=None):
    """One publisher, with one receiver of each kind at the same time. All checks of a receiver carry the name of the pairing."""
    receivers = receivers or [("ffmpeg", CM_80), ("gst", CM_80)]

    def case(bench, name):
        source, folder = bench.source(seconds and min(seconds, bench.duration)), bench.folder(name)
        relay = bench.relay(folder)
        running = []
        try:
            way_in = relay.open("publish", name.replace(" ", "-"), suite, mux, stream="cam1")
            for kind, receiver_suite in receivers:
                route = relay.open("subscribe", name.replace(" ", "-"), receiver_suite, mux, stream="cam1")
                running.append((kind, clients.RECEIVERS[kind](route, folder, kind), route))
            before = relay.metrics()
            publish(bench, clients.PUBLISHERS[publisher](way_in, source.path, folder / "publisher.log"), source)
            after = relay.metrics()
            stop_receivers(relay, running)

            def rise(metric):
                return int(after[metric] - before[metric])

            taken, sent = rise("millrace_packets_received_total"), rise("millrace_packets_forwarded_total")
            bench.reporter.check(name, "each packet forwarded once to each receiver", taken > 0 and
                                 sent - rise("millrace_packets_retransmitted_total") == taken * len(running),
                                 taken=taken, forwarded=sent)
            bench.reporter.check(name, "sender reports went in and out", rise("millrace_rtcp_received_total") >= 2 and
                                 rise("millrace_rtcp_sent_total") >= 2 * len(running),
                                 received=rise("millrace_rtcp_received_total"), sent=rise("millrace_rtcp_sent_total"))
            dropped = {cause: count for cause, count in relay.dropped().items() if count}
            bench.reporter.check(name, "nothing dropped on arrival", not dropped, **dropped)
            for kind, receiver, _ in running:
                check_receiver(bench, f"{publisher} to {kind}, {name}", receiver, source)
            relay.close(way_in)
            left = relay.metrics()
            bench.reporter.check(name, "closed transports leave nothing behind",
                                 left["millrace_sessions"] == 0 and left["millrace_streams"] == 0)
        finally:
            for _, receiver, _ in running:
                receiver.stop()
            relay.stop()
        bench.reporter.check(name, "the relay ends by itself, with status 0", relay.process.process.returncode == 0,
                             status=relay.process.process.returncode)
    return case


def late_joiner(bench, name):
    """A receiver that joins between two key frames receives a frame at once, and misses nothing after it."""
    source, folder = bench.source(min(12, bench.duration)), bench.folder(name)
    relay = bench.relay(folder)
    receivers, publisher = [], None
    try:
        way_in = relay.open("publish", "late", stream="cam1")
        publisher = clients.ffmpeg_publisher(way_in, source.path, folder / "publisher.log")
        # Key frames are 60 frames apart: 3.4 s is 1.4 s after one, 0.6 s before the next.
        time.sleep(3.4)
        for kind in ("ffmpeg", "gst"):
            route = relay.open("subscribe", "late", stream="cam1")
            receivers.append((kind, clients.RECEIVERS[kind](route, folder, kind), route))
        publish(bench, publisher, source)
        stop_receivers(relay, receivers)
        for kind, receiver, _ in receivers:
            # Receivers start after their transport was opened, so packets that the relay sent at once may precede their socket; from
            # the next key frame on, at the latest, they receive all.
            numbers = [source.frames.index(md5) if md5 in source.frames else -1 for md5 in receiver.decoded]
            whole = bool(numbers) and numbers == list(range(numbers[0], len(source.frames)))
            bench.reporter.check(name, f"{kind} misses nothing after its first frame", whole and numbers[0] <= 3.4 * 30 + 90,
                                 first=numbers[:1], frames=len(numbers))
    finally:
        if publisher:
            publisher.stop()
        for _, receiver, _ in receivers:
            receiver.stop()
        relay.stop()


def joiner_is_served_at_once(bench, name):
    """A joiner whose socket is already open receives a key frame within a moment, from the relay's cache: ffmpeg would not
    have sent one."""
    import socket
    source, folder = bench.source(min(12, bench.duration)), bench.folder(name)
    relay = bench.relay(folder)
    publisher = None
    waits = []
    try:
        way_in = relay.open("publish", "join", stream="cam1")
        publisher = clients.ffmpeg_publisher(way_in, source.path, folder / "publisher.log", loop=True, seconds=30)
        time.sleep(2.5)
        for attempt in range(6):
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
                port = free_udp_pair()
                s.bind(("127.0.0.1", port))
                s.settimeout(3)
                body = {"direction": "subscribe", "stream": "cam1", "rtcpMux": True, "video": {"port": port}}
                asked = time.monotonic()
                _, headers = relay.request("POST", "/v1/sessions/join/plain", body)
                while True:
                    packet = s.recv(2048)
                    if len(packet) > 12 and not 192 <= packet[1] <= 223:
                        break
                waits.append((time.monotonic() - asked) * 1000)
                relay.request("DELETE", headers["Location"])
            # Each attempt joins at another position between key frames.
            time.sleep(0.37)
        bench.reporter.check(name, "first packet within 250 ms, at any position between key frames", max(waits) < 250,
                             milliseconds=[round(w) for w in waits])
    finally:
        if publisher:
            publisher.stop()
        relay.stop()


def feedback(bench, name):
    """A subscriber with its own SRTCP implementation: loss reports cause retransmissions, key frame requests are combined."""
    import socket
    source, folder = bench.source(min(12, bench.duration)), bench.folder(name)
    relay = bench.relay(folder)
    report = bench.reporter.check
    publisher = None
    try:
        way_in = relay.open("publish", "feedback", stream="cam1")
        way_out = relay.open("subscribe", "feedback", stream="cam1", kinds=("video",))
        with (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as rtp, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as rtcp):
            rtp.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
            rtp.bind(("127.0.0.1", way_out.video.port))
            rtcp.bind(("127.0.0.1", way_out.video.rtcp_port))
            rtp.settimeout(3)
            publisher = clients.ffmpeg_publisher(way_in, source.path, folder / "publisher.log", loop=True, seconds=30)
            seen = {}

            def receive(seconds):
                """Receives packets; returns those that arrived a second time."""
                again, end = [], time.monotonic() + seconds
                while time.monotonic() < end:
                    packet = rtp.recv(2048)
                    sequence = int.from_bytes(packet[2:4])
                    if sequence in seen:
                        again.append((sequence, packet == seen[sequence]))
                    seen[sequence] = packet
                return again

            report(name, "no packet comes twice unasked", receive(1.0) == [], packets=len(seen))
            sender = srtcp.Sender(way_out.answer["clientKey"])
            me, media_ssrc, to = 0x01020304, way_out.video.ssrc, ("127.0.0.1", relay.media_port + 1)
            report(name, "all packets carry the announced SSRC",
                   {int.from_bytes(p[8:12]) for p in seen.values()} == {media_ssrc})
            before = relay.metrics()
            wanted = list(seen)[-20::4]
            for sequence in wanted:
                rtcp.sendto(sender.protect(srtcp.receiver_report(me) +
                                           srtcp.negative_acknowledgement(me, media_ssrc, sequence)), to)
            again = receive(1.0)
            report(name, "each packet asked for comes once more, bit for bit",
                   sorted(again) == sorted((s, True) for s in wanted), asked=len(wanted), came=len(again))
            for _ in range(40):
                rtcp.sendto(sender.protect(srtcp.receiver_report(me) + srtcp.picture_loss(me, media_ssrc)), to)
                receive(0.02)
            receive(0.7)
            after = relay.metrics()

            def rise(metric):
                return int(after[metric] - before[metric])

            report(name, "keyframe requests are counted", rise("millrace_key_frame_requests_received_total") == 40,
                   counted=rise("millrace_key_frame_requests_received_total"))
            # 40 requests in slightly more than a second; the publisher receives one in 500 ms.
            report(name, "and gathered on their way to the publisher", 1 <= rise("millrace_key_frame_requests_sent_total") <= 8,
                   sent=rise("millrace_key_frame_requests_sent_total"))
            # A feedback packet under another key has no effect.
            stranger = srtcp.Sender(relay.open("subscribe", "feedback", stream="cam1", kinds=("video",)).answer["clientKey"])
            retransmitted = relay.metrics()["millrace_packets_retransmitted_total"]
            rtcp.sendto(stranger.protect(srtcp.receiver_report(me) +
                                         srtcp.negative_acknowledgement(me, media_ssrc, list(seen)[-1])), to)
            receive(0.3)
            report(name, "feedback under another's key is dropped and counted",
                   relay.metrics()["millrace_packets_retransmitted_total"] == retransmitted and
                   relay.dropped().get("rtcp_authentication", 0) >= 1)
    finally:
        if publisher:
            publisher.stop()
        relay.stop()


# MARK: mute, canvas, recording

def mute(bench, name):
    """A muted track is not forwarded although the publisher continues; the other track is."""
    source, folder = bench.source(min(12, bench.duration)), bench.folder(name)
    relay = bench.relay(folder)
    publisher = None
    try:
        way_in = relay.open("publish", "mute", stream="cam1")
        relay.open("subscribe", "mute", stream="cam1", kinds=("video",))
        publisher = clients.ffmpeg_publisher(way_in, source.path, folder / "publisher.log", loop=True, seconds=30)
        time.sleep(2)

        def forwarded_in(seconds):
            before = relay.metrics()
            time.sleep(seconds)
            after = relay.metrics()
            return (int(after["millrace_packets_forwarded_total"] - before["millrace_packets_forwarded_total"]),
                    int(after["millrace_packets_muted_total"] - before["millrace_packets_muted_total"]))

        flowing, _ = forwarded_in(1)
        relay.request("PUT", "/v1/sessions/mute/streams/cam1/mute", {"kind": "video", "muted": True})
        time.sleep(0.2)
        silent, muted = forwarded_in(1)
        relay.request("PUT", "/v1/sessions/mute/streams/cam1/mute", {"kind": "video", "muted": False})
        # Frames resume with a key frame: ffmpeg's next one is at most 2 s away.
        time.sleep(2.3)
        again, _ = forwarded_in(1)
        bench.reporter.check(name, "video flows, stops while muted, and flows again",
                             flowing > 50 and silent == 0 and muted > 50 and again > 50,
                             before=flowing, muted=silent, dropped=muted, after=again)
    finally:
        if publisher:
            publisher.stop()
        relay.stop()


def read_some(url, path, limit, seconds):
    """Reads up to `limit` bytes of an endless body into a file."""
    end = time.monotonic() + seconds
    with urllib.request.urlopen(url, timeout=20) as answer, open(path, "wb") as file:
        while file.tell() < limit and time.monotonic() < end:
            piece = answer.read1(1 << 16)
            if not piece:
                break
            file.write(piece)
        return answer.headers["Content-Type"], file.tell()


def canvas(bench, name):
    """ffprobe recognises still, raw frames and PCM over HTTP, and they show the sent media."""
    source, folder = bench.source(min(12, bench.duration)), bench.folder(name)
    relay = bench.relay(folder)
    publisher = None
    report = bench.reporter.check
    try:
        way_in = relay.open("publish", "canvas", stream="cam1")
        publisher = clients.ffmpeg_publisher(way_in, source.path, folder / "publisher.log", loop=True, seconds=40)
        time.sleep(1.5)
        base = f"{relay.url}/v1/sessions/canvas/streams/cam1/canvas"
        asked = time.monotonic()
        png, headers = relay.request("GET", "/v1/sessions/canvas/streams/cam1/canvas.png")
        took = time.monotonic() - asked
        (folder / "still.png").write_bytes(png)
        about = media.describe(folder / "still.png")
        report(name, "a still of the stream's size", [(s["codec_name"], s["width"], s["height"]) for s in about] ==
               [("png", str(media.WIDTH), str(media.HEIGHT))] and headers["Content-Type"] == "image/png",
               milliseconds=round(took * 1000), bytes=len(png))
        number = media.frame_numbers(folder / "still.png")
        report(name, "the still shows a frame that was sent", bool(number) and number[0] < len(source.frames),
               frame=number[:1])
        # 150 frames of I420. When the canvas opens, all frames since the last key frame are decoded at once: a reader that cannot
        # keep up receives some of them twice instead of others, until it has caught up.
        kind, _ = read_some(base + ".y4m", folder / "raw.y4m", 150 * media.WIDTH * media.HEIGHT * 3 // 2, 15)
        about = media.describe(folder / "raw.y4m")
        report(name, "Y4M of the stream's size", [(s["codec_name"], s["width"], s["height"]) for s in about] ==
               [("rawvideo", str(media.WIDTH), str(media.HEIGHT))], type=kind)
        numbers = media.frame_numbers(folder / "raw.y4m")[-40:]
        steps = [(b - a) % len(source.frames) for a, b in zip(numbers, numbers[1:])]
        report(name, "Y4M frames follow one another", len(numbers) >= 30 and steps.count(1) >= len(steps) - 1, frames=len(numbers))
        frames = media.decoded_checksums(folder / "raw.y4m")
        known = set(source.frames)
        report(name, "Y4M frames are identical to those that a receiver decodes", frames and all(p in known for p in frames[:-1]))
        kind, _ = read_some(base + ".wav", folder / "audio.wav", 3 * 48000 * 4, 8)
        about = media.describe(folder / "audio.wav")
        report(name, "WAV of 48 kHz stereo", [(s["codec_name"], s["sample_rate"], s["channels"]) for s in about] ==
               [("pcm_s16le", "48000", "2")], type=kind)
        left, right, seconds = media.tones(folder / "audio.wav")
        report(name, "WAV has the tones", left > 0.95 and right > 0.95, left=round(left, 3), right=round(right, 3),
               seconds=round(seconds, 2))
        try:
            relay.request("GET", "/v1/sessions/canvas/streams/nobody/canvas.png")
            report(name, "a still of an unknown stream is refused", False)
        except RelayError as error:
            report(name, "a still of an unknown stream is refused", error.status == 404, status=error.status, code=error.code)
    finally:
        if publisher:
            publisher.stop()
        relay.stop()


def offsets(source, received, kind):
    """Returns, of each received packet that the source has exactly once, its time in the file minus its time in the source."""
    sent, repeated = {}, set()
    for checksum, time_sent in media.packet_times(source, kind):
        if checksum in sent:
            repeated.add(checksum)
        sent[checksum] = time_sent
    return [at - sent[checksum] for checksum, at in media.packet_times(received, kind) if checksum in sent and checksum not in repeated]


def live_stream(bench, name):
    """ffmpeg plays live.webm and live.mkv while the stream is published: without errors, audio and video together, until the stream ends."""
    source, folder = bench.source(12), bench.folder(name)
    # Noise, because the packets of a steady tone are the same every 100 ms.
    path = folder / "noise.webm"
    media.run(["ffmpeg", "-nostdin", "-v", "error", "-i", source.path, "-f", "lavfi", "-i", f"anoisesrc=d={source.seconds}:r=48000:a=0.2:seed=1",
               "-map", "0:v", "-map", "1:a", "-c:v", "copy", "-c:a", "libopus", "-ac", 2, "-b:a", "96k", path])
    relay = bench.relay(folder)
    publisher = None
    report = bench.reporter.check
    try:
        way_in = relay.open("publish", "live", stream="cam1")
        publisher = clients.ffmpeg_publisher(way_in, path, folder / "publisher.log", loop=True, seconds=40)
        time.sleep(1.5)
        base = f"{relay.url}/v1/sessions/live/streams/cam1/live"
        player = clients.Process("ffmpeg player", ["ffmpeg", "-nostdin", "-v", "error", "-i", base + ".webm", "-t", 3, "-fps_mode", "passthrough",
                                                   "-f", "null", "-"], folder / "player.log")
        kind, size = read_some(base + ".webm", folder / "live.webm", 4 << 20, 5)
        player.wait(10)
        report(name, "ffmpeg decodes three seconds from the address without an error", not player.running and player.process.returncode == 0
               and not (folder / "player.log").read_text().strip(), said=player.tail()[-200:])
        about = media.describe(folder / "live.webm")
        report(name, "WebM with the stream's size and stereo", kind == "video/webm" and [(s["codec_name"], s.get("width"), s.get("channels")) for s in about] ==
               [("vp8", str(media.WIDTH), None), ("opus", None, "2")], bytes=size)
        # The last frame may be cut.
        images = media.decoded_checksums(folder / "live.webm")[:-1]
        known = set(source.frames)
        report(name, "frames are identical to those that a receiver decodes", len(images) > 60 and all(i in known for i in images), frames=len(images))
        video, audio = (offsets(path, folder / "live.webm", kind) for kind in "va")
        skew = [v - statistics.median(audio) for v in video] if audio else [1]
        report(name, "audio and video are within 40 ms", len(video) > 60 and len(audio) > 100 and max(map(abs, skew)) < 0.04,
               worst_milliseconds=round(max(map(abs, skew)) * 1000, 1), frames=len(video), packets=len(audio))
        kind, _ = read_some(base + ".mkv", folder / "live.mkv", 100_000, 3)
        report(name, "Matroska too", kind == "video/matroska" and len(media.describe(folder / "live.mkv")) == 2)
        try:
            relay.request("GET", "/v1/sessions/live/streams/nobody/live.webm")
            report(name, "an unknown stream is refused", False)
        except RelayError as error:
            report(name, "an unknown stream is refused", error.status == 404, status=error.status, code=error.code)
        with urllib.request.urlopen(base + ".webm", timeout=10) as body:
            body.read(50_000)
            relay.close(way_in)
            rest = body.read()
        report(name, "the end of the stream ends the body", True, bytes=len(rest))
    finally:
        if publisher:
            publisher.stop()
        relay.stop()


def programme(bench, name):
    """ffmpeg plays the programme of a session with two publishers: one at first, then the other when the first has left; both are heard."""
    folder = bench.folder(name)
    source = bench.source(12)
    relay = bench.relay(folder)
    publishers = []
    report = bench.reporter.check
    try:
        for number, hertz in enumerate((500, 1300)):
            path = folder / f"tone{hertz}.webm"
            media.run(["ffmpeg", "-nostdin", "-v", "error", "-i", source.path, "-f", "lavfi", "-i", f"sine=f={hertz}:d={source.seconds}:r=48000", "-map", "0:v",
                       "-map", "1:a", "-c:v", "copy", "-c:a", "libopus", "-ac", 2, "-b:a", "96k", path])
            way_in = relay.open("publish", "programme", stream=f"cam{number}")
            publishers.append((way_in, clients.ffmpeg_publisher(way_in, path, folder / f"publisher{number}.log", loop=True, seconds=60)))
        time.sleep(1.5)
        base = f"{relay.url}/v1/sessions/programme/live"
        player = clients.Process("ffmpeg player", ["ffmpeg", "-nostdin", "-v", "error", "-i", base + ".webm", "-t", 3, "-fps_mode", "passthrough",
                                                   "-f", "null", "-"], folder / "player.log")
        kind, size = read_some(base + ".webm", folder / "live.webm", 4 << 20, 6)
        player.wait(10)
        report(name, "ffmpeg decodes three seconds from the address without an error", not player.running and player.process.returncode == 0
               and not (folder / "player.log").read_text().strip(), said=player.tail()[-200:])
        about = media.describe(folder / "live.webm")
        report(name, "WebM with the stream's size and stereo", kind == "video/webm" and [(s["codec_name"], s.get("width"), s.get("channels")) for s in about] ==
               [("vp8", str(media.WIDTH), None), ("opus", None, "2")], bytes=size)
        images = media.decoded_checksums(folder / "live.webm")[:-1]
        known = set(source.frames)
        report(name, "frames are identical to those of the publisher", len(images) > 60 and all(i in known for i in images), frames=len(images))
        first, second = media.tone_shares(folder / "live.webm", 500, 1300)
        report(name, "both publishers are heard", min(first, second) > 0.3, first=round(first, 3), second=round(second, 3))
        video, audio = ([at for _, at in media.packet_times(folder / "live.webm", kind)] for kind in "va")
        # Video begins with the publisher's next key frame: a file has one every two seconds and cannot make one on request.
        report(name, "audio and video end together", abs(video[-1] - audio[-1]) < 0.2, video=video[-1], audio=audio[-1])
        report(name, "video begins with the next key frame", video[0] - audio[0] < media.KEY_FRAME_SECONDS + 0.3, video=video[0], audio=audio[0])
        # The shown publisher leaves: the other one is shown within the same body.
        way_in, publisher = publishers.pop(0)
        with urllib.request.urlopen(base + ".mkv", timeout=10) as body:
            before = body.read(200_000)
            relay.close(way_in)
            publisher.stop()
            (folder / "change.mkv").write_bytes(before + body.read(2 << 20))
        images = media.decoded_checksums(folder / "change.mkv")[:-1]
        report(name, "the body goes on with the frames of the other publisher", len(images) > 150 and all(i in known for i in images), frames=len(images))
        first, second = media.tone_shares(folder / "change.mkv", 500, 1300)
        report(name, "which alone is heard then", first < 0.05 and second > 0.8, first=round(first, 3), second=round(second, 3))
    finally:
        for _, publisher in publishers:
            publisher.stop()
        relay.stop()


def recorded_session(bench, name):
    """A session is recorded as a whole by the command, with a stream that is published later, and is one file when its recording is stopped.
    A participant without media comes, moves to a subsession and leaves in between.
    """
    source, folder = bench.source(min(12, bench.duration)), bench.folder(name)
    report = bench.reporter.check
    relay = bench.relay(folder, extra=["--recording-directory", folder / "recordings", "--dev"])
    publishers, participant = [], None

    def command(action):
        return json.loads(media.run([bench.binary, "session", "record", action, "rec", "--url", relay.url, "--json"]))

    try:
        way_in = relay.open("publish", "rec", stream="cam1")
        publishers.append(clients.ffmpeg_publisher(way_in, source.path, folder / "publisher-1.log", loop=True))
        clients.wait_until(lambda: relay.metrics()["millrace_packets_received_total"] > 0, 5, "the first packet")
        report(name, "the command starts the recording", command("start")["isRecorded"])
        time.sleep(2)
        participant = Participant(relay, "rec", "Bo")
        time.sleep(1)
        second = relay.open("publish", "rec", stream="cam2")
        publishers.append(clients.ffmpeg_publisher(second, source.path, folder / "publisher-2.log", loop=True))
        time.sleep(4)
        group = participant.ask("commitSubsessions", names=["group 1"])["subsessions"][0]["id"]
        participant.ask("startSubsessions")
        time.sleep(1)
        participant.ask("joinSubsession", subsession=group)
        time.sleep(1)
        participant.ask("leave", endForAll=False)
        time.sleep(1)
        relay.close(second)
        time.sleep(2)
        stopped = command("stop")
        report(name, "both streams were recorded, and are no more", not stopped["isRecorded"] and
               sorted((one["stream"], one["phase"]) for one in stopped["streams"]) == [("cam1", "ended"), ("cam2", "ended")], streams=stopped["streams"])
        clients.wait_until(lambda: command("status")["composed"][-1]["phase"] not in ("waiting", "composing"), 10, "the composed file")
        composed = command("status")["composed"]
        report(name, "the relay has made one file of the session", [one["phase"] for one in composed] == ["composed"] and not composed[0]["warnings"], composed=composed)
    finally:
        if participant:
            participant.close()
        for publisher in publishers:
            publisher.stop()
        relay.stop()
    check_session_file(report, name, pathlib.Path(composed[0]["file"]), ["cam1 (camera)", "cam1 (audio)", "cam2 (camera)", "cam2 (audio)"],
                       ["vp8", "opus"] * 2,
                       ["cam1 joins", "Bo joins", "cam2 joins", "Subsessions start", "Bo moves to group 1", "Bo leaves", "cam2 leaves", "cam1 leaves"],
                       composed[0]["duration"])


def recording(bench, name):
    """A recording is playable while it is written, complete after a stop, and after kill -9 at most a second short."""
    source, folder = bench.source(min(12, bench.duration)), bench.folder(name)
    report = bench.reporter.check

    def files(directory):
        return sorted(directory.rglob("*.webm")) if directory.exists() else []

    # Recorded to the end.
    directory = folder / "whole"
    relay = bench.relay(folder, record=directory, name="relay-whole")
    try:
        way_in = relay.open("publish", "rec", stream="cam1")
        publisher = clients.ffmpeg_publisher(way_in, source.path, folder / "publisher-1.log")
        time.sleep(source.seconds * 0.3)
        # A second stream that begins later and ends before the first one.
        second = relay.open("publish", "rec", stream="cam2")
        other = clients.ffmpeg_publisher(second, source.path, folder / "publisher-3.log")
        time.sleep(source.seconds * 0.3)
        found = files(directory)
        counts, last = media.probe(found[0]) if found else ({}, {})
        report(name, "playable while it is written", last.get("video", 0) > source.seconds * 0.6 - 3, **counts)
        other.stop()
        relay.close(second)
        publish(bench, publisher, source)
        relay.close(way_in)
        time.sleep(0.5)
    finally:
        relay.stop()
    found = files(directory)
    if not found:
        report(name, "there is a recording", False)
        return
    check_composed(report, name, bench.binary, directory / "rec", folder / "session.mkv",
                   ["cam1 (camera)", "cam1 (audio)", "cam2 (camera)", "cam2 (audio)"], ["vp8", "opus"] * 2,
                   ["cam1 joins", "cam2 joins", "cam2 leaves", "cam1 leaves"])
    check_mixed(report, name, bench.binary, directory / "rec", folder / "mixed.webm", ["cam1 joins", "cam2 joins", "cam2 leaves", "cam1 leaves"])
    report(name, "holds every encoded frame, unchanged", media.packet_checksums(found[0], "v") == source.encoded_frames)
    report(name, "contains every audio packet, unchanged", media.packet_checksums(found[0], "a") == source.audio_packets)
    checked = media.run([bench.binary, "decode", "--verify", found[0]])
    report(name, "millrace decode --verify agrees", True, said=" ".join(checked.split())[-120:])

    # Ended by kill -9.
    directory = folder / "killed"
    relay = bench.relay(folder, record=directory, name="relay-killed")
    publisher = None
    try:
        way_in = relay.open("publish", "rec", stream="cam1")
        publisher = clients.ffmpeg_publisher(way_in, source.path, folder / "publisher-2.log")
        clients.wait_until(lambda: relay.metrics()["millrace_packets_received_total"] > 0, 5, "the first packet")
        began = time.monotonic()
        time.sleep(min(7.3, source.seconds * 0.7))
        relay.kill()
        lasted = time.monotonic() - began
    finally:
        relay.stop()
        if publisher:
            publisher.stop()
    found = files(directory)
    if not found:
        report(name, "there is a recording after kill -9", False)
        return
    counts, last = media.probe(found[0])
    report(name, "after kill -9 at most the last second is lost", last.get("video", 0) > lasted - 1.1 and
           last.get("audio", 0) > lasted - 1.1, lasted=round(lasted, 2), video=last.get("video"), audio=last.get("audio"))
    got = media.packet_checksums(found[0], "v")
    report(name, "its frames are unchanged", len(got) > 30 and contains_run(source.encoded_frames, got) == 0, frames=len(got))


def codecs(bench, name):
    """ffmpeg publishes H.264 and VP9 from files without encoding; ffmpeg receives both, and the relay makes stills of them and records them."""
    folder, report = bench.folder(name), bench.reporter.check
    directory = folder / "recorded"
    flows, publishers = [], []
    sources = [bench.source(min(8, bench.duration), codec) for codec in ("H264", "VP9")]
    relay = bench.relay(folder, record=directory)
    try:
        for source in sources:
            codec, output = source.codec, folder / source.codec
            output.mkdir()
            way_in = relay.open("publish", codec, stream="cam1", codec=codec)
            route = relay.open("subscribe", codec, stream="cam1", codec=codec)
            flows.append((source, output, way_in, clients.ffmpeg_receiver(route, output), route))
            # At once: a receiver gives up if nothing arrives for some seconds.
            publishers.append(clients.ffmpeg_publisher(way_in, source.path, output / "publisher.log", codec=source.codec))
        for source, output, *_ in flows:
            check_still(report, f"{name}, {source.codec}", relay, source.codec, output / "still.png", (media.WIDTH, media.HEIGHT))
        for publisher, (source, *_) in zip(publishers, flows):
            publish(bench, publisher, source, extra=0)
        time.sleep(SETTLE)
        stop_receivers(relay, [(None, receiver, route) for *_, receiver, route in flows])
        dropped = {cause: count for cause, count in relay.dropped().items() if count}
        report(name, "nothing dropped on arrival", not dropped, **dropped)
        for source, _, way_in, receiver, _ in flows:
            check_receiver(bench, f"{name}, {source.codec}", receiver, source)
            relay.close(way_in)
        time.sleep(0.5)
    finally:
        for publisher in publishers:
            publisher.stop()
        for *_, receiver, _ in flows:
            receiver.stop()
        relay.stop()
    for source, *_ in flows:
        check_recorded(report, f"{name}, {source.codec}", directory, source.codec, len(source.frames), first=0)
        lines = media.run([bench.binary, "decode", "--md5", *recordings(directory, source.codec)]).splitlines()
        report(f"{name}, {source.codec}", "millrace decode gives the frames that ffmpeg decodes", [line.split()[0] for line in lines] == source.frames,
               frames=len(lines))


# MARK: hostile input

def hostile(bench, name):
    """Strangers on the path: none of their packets are forwarded, all are counted, and the receiver is not affected."""
    source, folder = bench.source(min(15, bench.duration)), bench.folder(name)
    relay = bench.relay(folder)
    report = bench.reporter.check
    proxy = receiver = publisher = None
    try:
        way_in = relay.open("publish", "hostile", stream="cam1")
        way_out = relay.open("subscribe", "hostile", stream="cam1")
        receiver = clients.ffmpeg_receiver(way_out, folder)
        proxy = HostileProxy(free_udp_pair(), relay.media_port)
        for track in (way_in.audio, way_in.video):
            track.port, track.rtcp_port = proxy._in[0].getsockname()[1], proxy._in[1].getsockname()[1]
        memory = relay.metrics()["process_resident_memory_bytes"]
        publisher = clients.ffmpeg_publisher(way_in, source.path, folder / "publisher.log")
        publish(bench, publisher, source)
        proxy.stop()
        stop_receivers(relay, [("ffmpeg", receiver, way_out)])
        after, dropped, sent = relay.metrics(), relay.dropped(), proxy.sent
        bench.reporter.progress("sent: " + ", ".join(f"{k} {v}" for k, v in sorted(sent.items())))
        bench.reporter.progress("dropped: " + ", ".join(f"{k} {int(v)}" for k, v in sorted(dropped.items()) if v))
        report(name, "all kinds of attack were made", len(sent) == 10, kinds=len(sent), datagrams=sum(sent.values()))
        taken = after["millrace_packets_received_total"]
        report(name, "nothing of it was forwarded", after["millrace_packets_forwarded_total"] == taken, taken=int(taken),
               forwarded=int(after["millrace_packets_forwarded_total"]))
        # An empty datagram may vanish in the kernel's coalescing; all others are counted once.
        expected = sum(sent.values())
        counted = int(sum(dropped.values()))
        report(name, "every hostile datagram counted", expected - sent["empty"] <= counted <= expected, sent=expected,
               counted=counted)
        report(name, "replays counted as such",
               dropped.get("replay", 0) + dropped.get("duplicate", 0) >= sent["replay"] + sent["replay_elsewhere"],
               sent=sent["replay"] + sent["replay_elsewhere"], counted=int(dropped.get("replay", 0)))
        report(name, "forged tags counted as such", dropped.get("authentication", 0) >= sent["tampered"] + sent["wrong_key"] - 2,
               sent=sent["tampered"] + sent["wrong_key"], counted=int(dropped.get("authentication", 0)))
        report(name, "unknown SSRCs counted as such", dropped.get("unknown_ssrc", 0) >= sent["wrong_ssrc"],
               sent=sent["wrong_ssrc"], counted=int(dropped.get("unknown_ssrc", 0)))
        report(name, "oversized datagrams counted as such", dropped.get("oversized", 0) >= sent["oversized"],
               sent=sent["oversized"], counted=int(dropped.get("oversized", 0)))
        check_receiver(bench, name, receiver, source)

        # A flood, as fast as one thread can send: the relay keeps running and does not grow.
        flood(relay, seconds=3)
        after = relay.metrics()
        growth = after["process_resident_memory_bytes"] - memory
        report(name, "a flood leaves no growth", growth < 24 << 20, mebibytes=round(growth / (1 << 20), 1),
               datagrams=int(after["millrace_datagrams_received_total"]))
        report(name, "the relay still answers", json.loads(relay.request("GET", "/v1/sessions")[0]) is not None)
    finally:
        if publisher:
            publisher.stop()
        if receiver:
            receiver.stop()
        relay.stop()


def flood(relay, seconds):
    """Sends random datagrams to the RTP and RTCP ports; half of them look like RTP or RTCP at first sight."""
    import random
    import socket
    r = random.Random(7)
    pool = []
    for _ in range(500):
        body = bytearray(r.randbytes(r.randrange(1, 1400)))
        if r.random() < 0.5:
            body[0] = 0x80
            if len(body) > 1:
                body[1] = r.choice((96, 111, 200, 201, 205, 206))
        pool.append(bytes(body))
    end = time.monotonic() + seconds
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        while time.monotonic() < end:
            for body in pool:
                s.sendto(body, ("127.0.0.1", relay.media_port + (len(body) & 1)))


def bad_requests(bench, name):
    """Invalid requests are refused with a code, and leave no state."""
    folder = bench.folder(name)
    relay = bench.relay(folder)
    report = bench.reporter.check
    try:
        def refused(what, status, method, path, body=None):
            try:
                relay.request(method, path, body)
                report(name, what, False)
            except RelayError as error:
                report(name, what, error.status == status and error.code, status=error.status, code=error.code)

        door = "/v1/sessions/bad/plain"
        refused("no such direction", 422, "POST", door, {"direction": "sideways"})
        refused("no such suite", 422, "POST", door, {"direction": "publish", "suite": "ROT13"})
        refused("a payload type of RTCP", 422, "POST", door, {"direction": "publish", "audio": {"payloadType": 72}})
        refused("a subscriber without a port", 422, "POST", door, {"direction": "subscribe", "audio": {}})
        refused("a session that is not there", 404, "POST", door, {"direction": "subscribe", "video": {"port": 5004}})
        refused("a transport that is not there", 404, "DELETE", door + "/0123456789abcdef")
        refused("a session name of 151 characters", 400, "POST", f"/v1/sessions/{'x' * 151}/plain", {"direction": "publish"})
        refused("a method that is not for this", 405, "GET", door)
        refused("no such page", 404, "GET", "/v1/nothing")
        report(name, "nothing left behind", relay.metrics()["millrace_sessions"] == 0)
    finally:
        relay.stop()


DIRECT = [
    ("ffmpeg to ffmpeg", direct("ffmpeg", "ffmpeg")),
    ("ffmpeg to gst", direct("ffmpeg", "gst")),
    ("gst to ffmpeg", direct("gst", "ffmpeg")),
    ("gst to gst", direct("gst", "gst")),
    ("ffmpeg to gst, RTCP on the RTP port", direct("ffmpeg", "gst", mux=True)),
    ("ffmpeg to ffmpeg, H.264", direct("ffmpeg", "ffmpeg", codec="H264")),
    ("ffmpeg to ffmpeg, VP9", direct("ffmpeg", "ffmpeg", codec="VP9")),
    ("gst to gst, AES-GCM", direct("gst", "gst", GCM)),
    ("ffmpeg to gst, 32-bit tags", direct("ffmpeg", "gst", CM_32)),
]

ALL = [
    ("bad requests", bad_requests),
    ("ffmpeg publishes", pairings("ffmpeg")),
    ("gst publishes", pairings("gst")),
    ("ffmpeg publishes, RTCP on the RTP port", pairings("ffmpeg", mux=True, seconds=10)),
    ("gst publishes, RTCP on the RTP port", pairings("gst", mux=True, seconds=10)),
    ("gst publishes with AES-GCM", pairings("gst", GCM, seconds=10, receivers=[("gst", GCM), ("ffmpeg", CM_80)])),
    ("gst publishes with 32-bit tags", pairings("gst", CM_32, seconds=10, receivers=[("gst", CM_32), ("ffmpeg", CM_32)])),
    ("ffmpeg publishes H.264 and VP9", codecs),
    ("late joiner", late_joiner),
    ("joiner is served at once", joiner_is_served_at_once),
    ("feedback of a subscriber", feedback),
    ("mute", mute),
    ("canvas", canvas),
    ("live stream", live_stream),
    ("programme", programme),
    ("live by ffmpeg", live_by_ffmpeg),
    ("ingest", ingest),
    ("recording", recording),
    ("recorded session", recorded_session),
    ("hostile input", hostile),
]
