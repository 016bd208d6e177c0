"""Mixing of a session: `millrace compose --mix` of participants that sent 720p at 30 frames a second, as a multiple of real time."""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Tests/Interop"))

import media  # noqa: E402

# 2026-08-01T12:00:00Z.
START = 1_785_585_600_000_000_000


def recorded(folder, source, participants):
    """Makes the folder of a session in which all participants sent the source at the same time."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    files = []
    for number in range(participants):
        name = f"cam{number + 1}{source.path.suffix}"
        os.link(source.path, folder / name)
        # A few milliseconds apart, as frames of different participants are.
        begin = START + number * 3_700_000
        files.append({
            "stream": f"cam{number + 1}", "file": name, "start": "2026-08-01T12:00:00Z", "startUnixNanoseconds": begin, "offset": number * 0.0037,
            "tracks": ["audio", "video"], "videoType": "camera", "duration": source.seconds,
            "participant": {"id": f"c{number + 1}", "name": f"Participant {number + 1}"},
        })
    (folder / "index.json").write_text(json.dumps({"version": 1, "session": "bench", "files": files}))


def main():
    parser = argparse.ArgumentParser(prog="tools/bench mix")
    parser.add_argument("--relay", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--participants", type=int, default=9, help="participants with audio and video (default 9)")
    parser.add_argument("--seconds", type=int, default=30, help="length of the session (default 30)")
    parser.add_argument("--rounds", type=int, default=3, help="measurements (default 3)")
    parser.add_argument("--codec", choices=list(media.ENCODERS), default="VP8", help="codec of the recordings (default VP8)")
    parser.add_argument("--layout", choices=["grid", "speaker"], default="grid")
    parser.add_argument("--processors", type=int, default=2, help="processors that the mix may use (default 2)")
    arguments = parser.parse_args()
    source = media.Source(ROOT / "out/bench", arguments.seconds, arguments.codec)
    folder = ROOT / "out/bench/mix"
    recorded(folder, source, arguments.participants)
    available = sorted(os.sched_getaffinity(0))[:arguments.processors]
    output = ROOT / "out/bench/mixed.webm"
    speeds = []
    print(f"{arguments.participants} participants, {arguments.codec} {media.WIDTH}x{media.HEIGHT} at {media.RATE}, {arguments.seconds} s, "
          f"{len(available)} processors, load {os.getloadavg()[0]:.1f}")
    for _ in range(arguments.rounds):
        before, began = os.times(), time.monotonic()
        done = subprocess.run([arguments.relay, "compose", folder, "--mix", "--layout", arguments.layout, "--output", output, "--json"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=lambda: os.sched_setaffinity(0, available))
        wall, after = time.monotonic() - began, os.times()
        if done.returncode != 0:
            raise SystemExit(f"millrace compose failed: {done.stderr.strip()[-600:]}")
        report = json.loads(done.stdout)
        cpu = after.children_user + after.children_system - before.children_user - before.children_system
        speeds.append(report["duration"] / wall)
        print(f"{wall:6.2f} s, {cpu:6.2f} s of CPU, {report['bytes'] / 1e6:.1f} MB: {speeds[-1]:.2f} x real time")
    speed = statistics.median(speeds)
    print(f"median {speed:.2f} x real time")
    return 0 if speed >= 1 else 1


if __name__ == "__main__":
    sys.exit(main())
