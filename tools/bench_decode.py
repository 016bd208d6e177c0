"""Decoding of 720p: `millrace decode` compared with ffmpeg with the same library, file and number of threads, interleaved."""

import argparse
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Tests/Interop"))

import media  # noqa: E402


def timed(command):
    """Returns wall and CPU seconds of a program."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run([str(c) for c in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    wall, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise SystemExit(f"{command[0]} failed: {done.stderr.strip()[-600:]}")
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(prog="tools/bench decode")
    parser.add_argument("--relay", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=int, default=30, help="length of the file (default 30)")
    parser.add_argument("--rounds", type=int, default=5, help="measurements of each, interleaved (default 5)")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="decoder threads (default: processors)")
    arguments = parser.parse_args()
    source = media.Source(ROOT / "out/bench", arguments.seconds)
    frames = len(source.frames)
    # Both write the same raw frames to /dev/null.
    programs = {
        "millrace": [arguments.relay, "decode", "--threads", arguments.threads, "--video", "/dev/null", source.path],
        "ffmpeg": ["ffmpeg", "-nostdin", "-v", "error", "-y", "-threads", arguments.threads, "-c:v", "libvpx", "-i", source.path,
                   "-map", "0:v", "-fps_mode", "passthrough", "-f", "yuv4mpegpipe", "/dev/null"],
    }
    measured = {name: [] for name in programs}
    for _ in range(arguments.rounds):
        for name, command in programs.items():
            measured[name].append(timed(command))
    print(f"{frames} frames of {media.WIDTH}x{media.HEIGHT}, {arguments.threads} threads, medians of {arguments.rounds}")
    print(f"{'':10} {'frames/s':>9} {'wall s':>7} {'CPU s':>6}")
    walls = {}
    for name, values in measured.items():
        walls[name] = statistics.median(w for w, _ in values)
        print(f"{name:10} {frames / walls[name]:9.0f} {walls[name]:7.2f} {statistics.median(c for _, c in values):6.2f}")
    ratio = walls["millrace"] / walls["ffmpeg"]
    print(f"millrace takes {ratio:.2f} x ffmpeg's time")
    return 0 if ratio <= 1.05 else 1


if __name__ == "__main__":
    sys.exit(main())
