"""Cases of `millrace live` and `millrace ingest`: RTMP, SRT and HLS by a supervised ffmpeg, with nginx and ffmpeg on the other side."""

import json
import pathlib
import shutil
import time

import clients
import media
from relay import RelayError, free_tcp_port, free_udp_pair

# The module of nginx that takes and serves RTMP (Debian: libnginx-mod-rtmp).
RTMP_MODULE = pathlib.Path("/usr/lib/nginx/modules/ngx_rtmp_module.so")
SIZE = "640x360"
# Width and height of the squares of a frame number at this size.
SQUARES = "128:8"


class Nginx:
    """An RTMP server."""

    def __init__(self, folder):
        self.folder, self.port = folder, free_tcp_port()
        self.url = f"rtmp://127.0.0.1:{self.port}/live/key"
        (folder / "nginx.conf").write_text(
            f"daemon off; master_process off; pid {folder}/nginx.pid; error_log stderr warn;\nload_module {RTMP_MODULE};\n"
            f"events {{}}\nrtmp {{ server {{ listen 127.0.0.1:{self.port}; application live {{ live on; }} }} }}\n")
        self.process = None
        self.start()

    def start(self):
        self.process = clients.Process("nginx", ["/usr/sbin/nginx", "-p", self.folder, "-c", self.folder / "nginx.conf"], self.folder / "nginx.log")

    def stop(self):
        self.process.stop()


class Command:
    """A running `millrace live` or `millrace ingest`, and the events that it has reported."""

    def __init__(self, relay, folder, name, arguments):
        self.log = folder / f"{name}.log"
        verb, session, *rest = arguments
        self.process = clients.Process(name, [relay.binary, verb, session, "--url", relay.url, "--json", *rest], self.log)

    def events(self):
        return [json.loads(line) for line in self.log.read_text().splitlines() if line.startswith("{")]

    def count(self, name):
        return sum(event["event"] == name for event in self.events())

    def wait_for(self, name, number=1, seconds=30):
        return wait_until(lambda: self.count(name) >= number, seconds)

    def stop(self):
        """Returns the exit status after an interrupt."""
        self.process.stop()
        return self.process.process.returncode


def wait_until(condition, seconds):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


def capture(url, path, seconds, form):
    """Records a live stream with ffmpeg, as it is; tries until it begins."""
    for _ in range(10):
        player = clients.Process("ffmpeg player", ["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", url, "-t", seconds, "-c", "copy", "-f", form, path],
                                 path.with_suffix(".log"))
        ended = player.wait(seconds + 15)
        player.stop()
        if ended and path.exists() and path.stat().st_size > 10_000:
            return True
        time.sleep(1)
    return False


def check_encoded(report, name, label, path):
    """Checks size, codecs, frame numbers and tones of what a receiver of H.264 and AAC got."""
    about = [(s["codec_name"], s.get("width"), s.get("channels")) for s in media.describe(path)]
    report(name, f"{label}: H.264 of the size asked for, and stereo AAC", sorted(about, key=str) == sorted(
        [("h264", SIZE.split("x")[0], None), ("aac", None, "2")], key=str), found=about)
    numbers = media.frame_numbers(path, area=SQUARES)
    steps = [(b - a) % 360 for a, b in zip(numbers, numbers[1:])]
    # The encoder's first frames may be repeated, until the time of the source's first frame.
    report(name, f"{label}: frame numbers advance by one", len(set(numbers)) > 40 and sum(step in (0, 1) for step in steps) > 0.9 * len(steps),
           frames=len(numbers), others=[step for step in steps if step != 1][:8])
    left, = media.tone_shares(path, media.LEFT_HZ)
    report(name, f"{label}: the tone is heard", left > 0.8, left=round(left, 3))


def live_by_ffmpeg(bench, name):
    """`millrace live` sends to an RTMP server that is stopped and started again, to an SRT listener, and to a directory as HLS."""
    folder, report = bench.folder(name), bench.reporter.check
    source = bench.source(12)
    relay = bench.relay(folder)
    running = []
    try:
        way_in = relay.open("publish", "live", stream="cam1")
        running.append(clients.ffmpeg_publisher(way_in, source.path, folder / "publisher.log", loop=True, seconds=120))
        time.sleep(1.5)
        options = ["--size", SIZE, "--video-rate", 800]
        if RTMP_MODULE.exists():
            server = Nginx(folder)
            running.append(server)
            command = Command(relay, folder, "rtmp", ["live", "live", "--to", server.url, *options])
            running.append(command)
            report(name, "RTMP: a player of the server receives the programme", capture(server.url, folder / "rtmp.mkv", 4, "matroska"))
            check_encoded(report, name, "RTMP", folder / "rtmp.mkv")
            server.stop()
            report(name, "RTMP: the end of the server is reported", command.wait_for("ended"), last=command.events()[-1:])
            server.start()
            report(name, "RTMP: the server gets the programme again after its restart", capture(server.url, folder / "rtmp2.mkv", 2, "matroska"),
                   starts=command.count("started"))
            report(name, "RTMP: an interrupt ends the command", command.stop() == 0)
            server.stop()
        else:
            bench.reporter.skip(name, "RTMP: no libnginx-mod-rtmp")
        port = free_udp_pair()
        player = clients.Process("ffmpeg player", ["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", f"srt://127.0.0.1:{port}?mode=listener", "-t", 4,
                                                   "-c", "copy", folder / "srt.mkv"], folder / "srt-player.log")
        running.append(player)
        command = Command(relay, folder, "srt", ["live", "live", "--stream", "cam1", "--to", f"srt://127.0.0.1:{port}", *options])
        running.append(command)
        report(name, "SRT: a listener receives the stream", player.wait(30))
        check_encoded(report, name, "SRT", folder / "srt.mkv")
        report(name, "SRT: an interrupt ends the command", command.stop() == 0)
        (folder / "hls").mkdir()
        command = Command(relay, folder, "hls", ["live", "live", "--stream", "cam1", "--to", folder / "hls", *options])
        running.append(command)
        playlist = folder / "hls/index.m3u8"
        report(name, "HLS: the playlist gets three segments", wait_until(lambda: playlist.exists() and playlist.read_text().count(".ts") >= 3, 30))
        media.run(["ffmpeg", "-nostdin", "-v", "error", "-y", "-live_start_index", 0, "-i", playlist, "-t", 4, "-c", "copy", folder / "hls.mkv"])
        check_encoded(report, name, "HLS", folder / "hls.mkv")
        report(name, "HLS: an interrupt ends the command", command.stop() == 0)
    finally:
        for program in reversed(running):
            program.stop()
        relay.stop()


def ingest(bench, name):
    """`millrace ingest` takes H.264 by RTMP and SRT without encoding it, from senders that stop and start again, and encodes a file as VP8."""
    folder, report = bench.folder(name), bench.reporter.check
    source = bench.source(12, codec="H264")
    relay = bench.relay(folder)
    running = []

    def sender(url, form, log):
        return clients.Process("ffmpeg sender", ["ffmpeg", "-nostdin", "-v", "error", "-re", "-stream_loop", -1, "-i", source.path, "-c:v", "copy",
                                                 "-c:a", "aac", "-f", form, url], folder / log)

    def streams():
        """Names of the streams that have both tracks: a reader's body ends when a track is added."""
        try:
            found = json.loads(relay.request("GET", "/v1/sessions/in/streams")[0])["streams"]
            return {stream["name"] for stream in found if stream.get("audio", {}).get("packets") and stream.get("video", {}).get("packets")}
        except RelayError:
            return set()

    def is_sent(url, form, label, stream):
        """Sends until the relay has the stream: the listener may not be ready yet. Returns the sender."""
        for number in range(10):
            program = sender(url, form, f"{label}-{number}.log")
            running.append(program)
            if wait_until(lambda: stream in streams() or not program.running, 10) and stream in streams():
                return program
            program.stop()
            time.sleep(0.5)
        return None

    def check_received(label, stream, is_encoded=False):
        path = folder / f"{label}.mkv"
        # ffmpeg begins with a burst, of what it received while it looked for the tracks.
        time.sleep(2)
        received = capture(f"{relay.url}/v1/sessions/in/streams/{stream}/live.mkv", path, 4, "matroska")
        report(name, f"{label}: a reader receives the stream", received)
        if not received:
            return
        numbers = media.frame_numbers(path)
        steps = [(b - a) % len(source.frames) for a, b in zip(numbers, numbers[1:])]
        if is_encoded:
            # On a busy machine ffmpeg's encoder falls behind, repeats frames and leaves others out.
            report(name, f"{label}: frame numbers advance", len(set(numbers)) > 4 and all(step < 60 for step in steps), frames=len(numbers),
                   different=len(set(numbers)))
            return
        report(name, f"{label}: frame numbers advance by one", len(numbers) > 60 and all(step == 1 for step in steps), frames=len(numbers),
               others=[step for step in steps if step != 1][:8])
        left, = media.tone_shares(path, media.LEFT_HZ)
        report(name, f"{label}: the tone is heard", left > 0.8, left=round(left, 3))

    try:
        url = f"rtmp://127.0.0.1:{free_tcp_port()}/live/key"
        command = Command(relay, folder, "rtmp", ["ingest", "in", "--stream", "rtmp", "--listen", "--from", url, "--video", "copy"])
        running.append(command)
        command.wait_for("started")
        program = is_sent(url, "flv", "rtmp", "rtmp")
        check_received("RTMP", "rtmp")
        if program:
            program.kill()
        report(name, "RTMP: the end of the sender is reported, and the stream ends", command.wait_for("ended") and wait_until(
            lambda: "rtmp" not in streams(), 10), last=command.events()[-1:])
        is_sent(url, "flv", "rtmp-again", "rtmp")
        check_received("RTMP again", "rtmp")
        report(name, "RTMP: an interrupt ends the command and the stream", command.stop() == 0 and wait_until(lambda: "rtmp" not in streams(), 10))
        url = f"srt://127.0.0.1:{free_udp_pair()}"
        command = Command(relay, folder, "srt", ["ingest", "in", "--stream", "srt", "--from", f"{url}?mode=listener", "--video", "copy"])
        running.append(command)
        command.wait_for("started")
        is_sent(url, "mpegts", "srt", "srt")
        check_received("SRT", "srt")
        report(name, "SRT: an interrupt ends the command and the stream", command.stop() == 0 and wait_until(lambda: "srt" not in streams(), 10))
        shutil.copy(source.path, folder / "film.mkv")
        command = Command(relay, folder, "file", ["ingest", "in", "--stream", "film", "--from", folder / "film.mkv", "--loop", "--video", "vp8"])
        running.append(command)
        report(name, "file: the stream begins", wait_until(lambda: "film" in streams(), 20))
        check_received("file", "film", is_encoded=True)
        report(name, "file: an interrupt ends the command", command.stop() == 0)
    finally:
        for program in reversed(running):
            program.stop()
        relay.stop()
