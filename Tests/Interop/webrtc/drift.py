"""A recorded session of two publishers whose clocks drift apart, with loss and a killed relay in the middle: how far apart they are in its one file."""

import json
import os
import statistics
import threading
import time

import clients
import media
import numpy
from relay import free_tcp_port
from webrtc import bar, barfile, sound

SECONDS, LOSS, LIMIT = 300, 5, 20  # seconds, percent, milliseconds
WIDTH, HEIGHT, FPS = 320, 180, 15
RATE, STEP = 48000, 960
HERTZ, BURST = 1000, 0.1
# Parts per million by which the media clocks of the publishers are fast.
DRIFTS = {"cam1": 200, "cam2": -200}


class Generator:
    """Writes raw video and audio into two pipes, at the pace of a clock that is `drift` ppm fast.

    Every frame has the wall clock of its capture in its bar, and a tone begins at every full second of the wall clock.
    """

    def __init__(self, folder, source, drift):
        self.video, self.audio = folder / "video", folder / "audio"
        self._speed, self._is_on, self._source = 1 + drift / 1e6, True, bar.TestVideo(WIDTH, HEIGHT, source)
        self._began = time.time()
        self._threads = []
        for path, rate, make in ((self.video, FPS, self._frame), (self.audio, RATE // STEP, self._samples)):
            os.mkfifo(path)
            self._threads.append(threading.Thread(target=self._write, args=(path, rate, make), daemon=True))
            self._threads[-1].start()

    def _write(self, path, rate, make):
        """Writes pieces at their times, from the time on at which the reader has opened the pipe."""
        try:
            with open(path, "wb", buffering=0) as pipe:
                number = int((time.time() - self._began) * rate)
                while self._is_on:
                    # A piece is complete at the end of its time.
                    time.sleep(max(0, self._began + (number + 1) / (rate * self._speed) - time.time()))
                    pipe.write(make(number))
                    number += 1
        except BrokenPipeError:
            pass

    def _frame(self, number):
        return self._source.planes(number, int((self._began + number / (FPS * self._speed)) * 1000)).tobytes()

    def _samples(self, number):
        walls = self._began % 60 + (number * STEP + numpy.arange(STEP)) / (RATE * self._speed)
        tone = numpy.where(walls % 1 < BURST, 0.5 * numpy.sin(2 * numpy.pi * HERTZ * walls), 0)
        return (tone * 32767).astype(numpy.int16).tobytes()

    def stop(self):
        self._is_on = False
        for thread in self._threads:
            thread.join(5)


def publish(bench, relay, stream, number, part):
    """Starts a publisher, which is stopped when the case ends."""
    folder = bench.current / f"{stream}-{part}"
    folder.mkdir()
    generator = Generator(folder, number, DRIFTS[stream])
    route = relay.open("publish", "drift", stream=stream)
    video = ["-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-lag-in-frames", "0", "-g", str(FPS), "-b:v", "300k", "-threads", "1"]
    outputs = ["-map", "0", *video, *clients.ffmpeg_output(route, route.video), "-map", "1", "-c:a", "libopus", "-b:a", "64k", *clients.ffmpeg_output(route, route.audio)]
    process = clients.Process("ffmpeg publisher", [
        "ffmpeg", "-nostdin", "-v", "error", "-fflags", "nobuffer",
        "-thread_queue_size", "64", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", f"{WIDTH}x{HEIGHT}", "-r", str(FPS), "-i", generator.video,
        "-thread_queue_size", "64", "-f", "s16le", "-ar", str(RATE), "-ac", "1", "-i", generator.audio, *outputs], folder / "ffmpeg.log")
    # The pipes end before the process that reads them.
    return [bench.keep(process), bench.keep(generator)]


def tone_starts(path, track, since):
    """Returns (time in the file in ms, wall clock in ms of the full second) of each tone of an audio track."""
    samples = sound.mono(path, track)
    window = RATE // 200
    mixed = samples * numpy.exp(-2j * numpy.pi * HERTZ * numpy.arange(len(samples)) / RATE)
    sums = numpy.cumsum(numpy.concatenate(([0], mixed)))
    level = numpy.abs(sums[window:] - sums[:-window]) / window
    is_on = level > 0.125
    found = []
    for start in numpy.flatnonzero(is_on[1:] & ~is_on[:-1]):
        before, after = level[max(0, start - RATE // 2):start - window], level[start + 2 * window:start + int(BURST * RATE) - 2 * window]
        # A tone that lost packets at its start has no such silence or length.
        if len(before) and len(after) and before.max() < 0.02 and after.min() > 0.2:
            at = (start + window / 2) * 1000 / RATE
            found.append((at, round((since + at) / 1000) * 1000))
    return found


def by_time(points, length=5000):
    """Returns {window of the file: median of (time in the file - wall clock) in ms}."""
    windows = {}
    for at, wall in points:
        windows.setdefault(int(at // length), []).append(at - wall)
    return {window: statistics.median(values) for window, values in windows.items() if len(values) >= 3}


def drifting(bench, name):
    bench.need_network(filters=True)
    check = bench.reporter.check
    seconds = bench.seconds if bench.seconds >= 30 else SECONDS
    directory = bench.current / "recordings"
    extra = ["--record", directory]
    bench.network.lose(up=LOSS)
    began = time.time()
    for part in (1, 2):
        relay = bench.relay(apart=True, name=f"relay-{part}", extra=extra, port=free_tcp_port())
        running = [publish(bench, relay, stream, number, part) for number, stream in enumerate(DRIFTS, 1)]
        time.sleep(seconds / 2)
        if part == 1:
            relay.kill()
        for process in sum(running, []):
            process.stop()
    relay.stop()
    passed, lost = bench.network.lost()["up"]
    check(name, "datagrams were lost", 0.03 < lost / passed < 0.07, share=round(lost / passed, 3), datagrams=passed)

    output = bench.current / "session.mkv"
    report = json.loads(media.run([bench.binary, "compose", directory / "drift", "--output", output, "--json"], accepted=(0, 1)))
    tracks = [track["name"] for track in report["tracks"]]
    check(name, "each publisher has one video and one audio track", sorted(tracks) == [f"{stream} ({kind})" for stream in DRIFTS for kind in ("audio", "camera")],
          tracks=tracks)
    check(name, "the file lasts as long as the session", abs(report["duration"] - seconds) < 8, seconds=round(report["duration"], 1))
    drifts = {file["file"]: file.get("driftPPM") for file in report["files"]}
    check(name, "there is a file for each publisher and relay", len(drifts) == 4, drifts=drifts)
    offsets = {}
    for stream in DRIFTS:
        # ffmpeg counts the tracks of each kind.
        video, audio = ([track for track in tracks if track.endswith(f"({kind})")].index(f"{stream} ({kind})") for kind in ("camera", "audio"))
        seen, unread = barfile.read(output, began * 1000, WIDTH, HEIGHT, video)
        check(name, f"{stream}: frames can be read", len(seen) > seconds * FPS / 4 and unread <= len(seen) / 50, frames=len(seen), unread=unread)
        offsets[stream, "video"] = by_time((at, wall) for at, wall, *_ in seen)
        since = -statistics.median(offsets[stream, "video"].values())
        heard = tone_starts(output, audio, since)
        check(name, f"{stream}: tones are heard", len(heard) > seconds / 3, tones=len(heard))
        offsets[stream, "audio"] = by_time(heard)
    for kind in ("video", "audio"):
        first, second = (offsets[stream, kind] for stream in DRIFTS)
        skews = [first[window] - second[window] for window in sorted(first.keys() & second.keys())]
        check(name, f"the {kind} of both is at most {LIMIT} ms apart", len(skews) > seconds / 5 * 0.6 and max(map(abs, skews)) <= LIMIT,
              least=round(min(skews), 1), most=round(max(skews), 1), windows=len(skews))
    for stream in DRIFTS:
        first, second = offsets[stream, "video"], offsets[stream, "audio"]
        skews = [first[window] - second[window] for window in sorted(first.keys() & second.keys())]
        check(name, f"{stream}: video and audio are at most 40 ms apart", max(map(abs, skews)) <= 40, least=round(min(skews), 1), most=round(max(skews), 1))


ALL = []
LONG = [("recorded session of drifting clocks", drifting)]
