"""The bars of the frames of a file. Not in bar.py, which clients in other processes load as well."""

import subprocess

import media
import numpy
from webrtc import bar


def read(path, since, width, height, track=0):
    """Returns (time in the file in ms, wall clock in ms, source) of each frame of a video track with a bar that can be read, and how many cannot be read.

    `since`: wall clock in ms of the file's start, to half a minute. `width`, `height`: size to which frames are scaled.
    """
    rows = media.run(["ffprobe", "-v", "error", "-select_streams", f"v:{track}", "-show_entries", "frame=pts_time", "-of", "csv=p=0", path])
    times = [float(row.strip(",")) * 1000 for row in rows.split()]
    decoder = subprocess.Popen(["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-map", f"0:v:{track}", "-vf", f"scale={width}:{height},format=gray",
                                "-fps_mode", "passthrough", "-enc_time_base", "-1", "-f", "rawvideo", "-"], stdout=subprocess.PIPE)
    found, unread = [], 0
    for at in times:
        image = decoder.stdout.read(width * height)
        if len(image) < width * height:
            break
        stamp = bar.stamped(numpy.frombuffer(image, numpy.uint8).reshape(height, width))
        if stamp is None:
            unread += 1
            continue
        # The stamp is the wall clock modulo 65,536; the frame is at most half of that from the time that its offset in the file gives.
        expected = since + at
        found.append((at, expected + ((stamp[1] - expected + 32768) % 65536 - 32768), stamp[2]))
    decoder.kill()
    return found, unread
