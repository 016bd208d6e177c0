"""Test media: a source that is encoded once, and measurements of files that programs wrote."""

import array
import fractions
import math
import pathlib
import re
import subprocess
import wave

WIDTH, HEIGHT, RATE = 1280, 720, 30
LEFT_HZ, RIGHT_HZ = 440, 660
KEY_FRAME_SECONDS = 2
# Codec: ffmpeg's encoder in real time, without frames that refer to later ones; suffix of its file.
ENCODERS = {
    # With a fixed speed (negative -cpu-used) and one thread, every machine makes the same file at the same quality.
    "VP8": ("libvpx -deadline realtime -cpu-used -16 -lag-in-frames 0 -error-resilient default -threads 1", "webm"),
    "VP9": ("libvpx-vp9 -deadline realtime -cpu-used 8 -lag-in-frames 0 -threads 1", "webm"),
    "H264": ("libx264 -profile:v baseline -preset ultrafast -tune zerolatency", "mkv"),
}
# Sixteen squares along the upper edge: bit i of the frame number is white or black.
COUNTER_BITS, SQUARE = 16, 16


class MediaError(Exception):
    """A program failed, or a file is invalid."""


def run(command, timeout=300, accepted=(0,)):
    """Runs a program to its end; returns its standard output as text. `accepted`: exit codes that are no failure."""
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=timeout)
    if done.returncode not in accepted:
        raise MediaError(f"{command[0]} failed: {done.stderr.strip()[-600:]}")
    return done.stdout


def frame_filters():
    """Returns ffmpeg filters that draw the frame number, readable by people and by machines."""
    filters = [f"drawbox=x=0:y=0:w={COUNTER_BITS * SQUARE}:h={SQUARE}:color=black:t=fill"]
    for bit in range(COUNTER_BITS):
        filters.append(f"drawbox=x={bit * SQUARE}:y=0:w={SQUARE}:h={SQUARE}:color=white:t=fill"
                       f":enable='bitand(n,{1 << bit})'")
    return filters + ["drawtext=text='%{n}':x=40:y=h-130:fontsize=90:fontcolor=white:box=1:boxcolor=black"]


class Source:
    """A moving test video (720p30) and a stereo tone (Opus) in one WebM or Matroska file, with the checksums of its frames."""

    def __init__(self, folder, seconds, codec="VP8"):
        self.seconds, self.codec = seconds, codec
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self._encoder, suffix = ENCODERS[codec]
        self.path = self.folder / f"source-{codec}-{seconds}s.{suffix}"
        if not self.path.exists():
            self._encode()
        self.frames = decoded_checksums(self.path)
        self.encoded_frames = packet_checksums(self.path, "v")
        self.audio_packets = packet_checksums(self.path, "a")
        if len(set(self.frames)) != len(self.frames) or len(self.frames) != seconds * RATE:
            raise MediaError(f"{self.path} has {len(self.frames)} frames, {len(set(self.frames))} of them different")

    def _encode(self):
        part = self.path.with_suffix(".part")
        run(["ffmpeg", "-nostdin", "-v", "error", "-y",
             "-f", "lavfi", "-i", f"testsrc2=size={WIDTH}x{HEIGHT}:rate={RATE}",
             "-f", "lavfi", "-i",
             f"aevalsrc=0.3*sin(2*PI*{LEFT_HZ}*t)|0.3*sin(2*PI*{RIGHT_HZ}*t):s=48000",
             "-t", self.seconds, "-vf", ",".join(frame_filters()), "-pix_fmt", "yuv420p",
             "-c:v", *self._encoder.split(), "-g", str(KEY_FRAME_SECONDS * RATE), "-b:v", "2M", "-maxrate", "2500k", "-bufsize", "1M",
             "-c:a", "libopus", "-b:a", "96k", "-frame_duration", "20", "-f", "webm" if self.path.suffix == ".webm" else "matroska", part], timeout=600)
        part.rename(self.path)

    def psnr(self, received=None):
        """Returns the PSNR in dB, averaged over the file, of a recording that begins with the first frame, against the raw frames."""
        log = run_stderr(["ffmpeg", "-nostdin", "-v", "info", "-i", received or self.path,
                          "-f", "lavfi", "-i", f"testsrc2=size={WIDTH}x{HEIGHT}:rate={RATE}",
                          "-filter_complex",
                          # Numbered by index, not by time: the same frames are compared, whenever they arrived.
                          f"[0:v]settb=1/{RATE},setpts=N[a];"
                          f"[1:v]{','.join(frame_filters())},format=yuv420p,settb=1/{RATE},setpts=N[b];"
                          "[a][b]psnr=shortest=1", "-an", "-fps_mode", "passthrough", "-f", "null", "-"])
        found = re.search(r"PSNR .*average:([\d.]+|inf)", log)
        if not found:
            raise MediaError("ffmpeg gave no PSNR")
        return float(found[1])


def run_stderr(command, timeout=300):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=timeout)
    if done.returncode != 0:
        raise MediaError(f"{command[0]} failed: {done.stderr.strip()[-600:]}")
    return done.stderr


def checksums_of_text(text):
    """Returns the checksums in ffmpeg's framemd5 format, in order."""
    # Fields: stream, dts, pts, duration, size, checksum, and possibly side data that is not part of the packet.
    return [line.split(",")[5].strip() for line in text.splitlines() if line and not line.startswith("#")]


def decoded_checksums(path):
    """Returns the MD5 of each decoded frame."""
    return checksums_of_text(run(["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-map", "0:v", "-pix_fmt", "yuv420p",
                                  "-fps_mode", "passthrough", "-f", "framemd5", "-"]))


def packet_checksums(path, kind):
    """Returns the MD5 of each encoded frame ("v") or audio packet ("a")."""
    return checksums_of_text(run(["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-map", f"0:{kind}", "-c", "copy",
                                  "-f", "framemd5", "-"]))


def packet_times(path, kind):
    """Returns (MD5, time in seconds) of each encoded frame ("v") or audio packet ("a"), in order."""
    text = run(["ffmpeg", "-nostdin", "-v", "error", "-copyts", "-i", path, "-map", f"0:{kind}", "-c", "copy", "-f", "framemd5", "-"])
    base = float(fractions.Fraction(re.search(r"^#tb 0: (\S+)", text, re.MULTILINE)[1]))
    rows = [line.split(",") for line in text.splitlines() if line and not line.startswith("#")]
    return [(row[5].strip(), int(row[2]) * base) for row in rows]


def frame_numbers(path, area=f"{COUNTER_BITS * SQUARE}:{SQUARE}"):
    """Returns the machine-readable frame numbers of a video file. `area`: width and height of the squares, in the words of ffmpeg's crop."""
    done = subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", str(path), "-map", "0:v", "-vf",
                           f"crop={area}:0:0,scale={COUNTER_BITS}:1:flags=area,format=gray",
                           "-fps_mode", "passthrough", "-f", "rawvideo", "-"], capture_output=True, timeout=300)
    if done.returncode != 0:
        raise MediaError(f"ffmpeg failed: {done.stderr.decode().strip()[-600:]}")
    rows = done.stdout
    return [sum((rows[start + bit] > 128) << bit for bit in range(COUNTER_BITS))
            for start in range(0, len(rows), COUNTER_BITS)]


def probe(path, timeout=60):
    """Returns, from ffprobe, {codec: number of packets} and the seconds of the longest track by its last packet."""
    text = run(["ffprobe", "-v", "error", "-show_entries", "packet=codec_type,pts_time,duration_time",
                "-of", "csv=p=0", path], timeout)
    counts, last = {}, {}
    for line in text.splitlines():
        fields = line.split(",")
        counts[fields[0]] = counts.get(fields[0], 0) + 1
        try:
            last[fields[0]] = max(last.get(fields[0], 0.0), float(fields[1]))
        except (ValueError, IndexError):
            continue
    return counts, last


def decoding_errors(path):
    """Returns what ffmpeg reports while it decodes a whole file; empty if the file is clean."""
    # In the frame rate's time base, frames of a variable rate would be rounded to equal times, which ffmpeg reports.
    done = subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", str(path), "-fps_mode", "passthrough", "-enc_time_base", "-1", "-f", "null", "-"],
                          capture_output=True, text=True, timeout=120)
    return done.stderr.strip() or (f"status {done.returncode}" if done.returncode else "")


def describe(path):
    """Returns codec, size and sample rate of each stream of a file, as ffprobe names them."""
    text = run(["ffprobe", "-v", "error", "-show_entries", "stream=codec_name,width,height,sample_rate,channels",
                "-of", "compact=p=0", path])
    return [dict(item.split("=", 1) for item in line.split("|") if "=" in item) for line in text.splitlines() if line]


def goertzel(samples, hertz, rate=48000):
    """Returns the power of one frequency in samples of -1...1, as a share of their total power (a pure tone: 1)."""
    n = len(samples)
    coefficient = 2 * math.cos(2 * math.pi * hertz / rate)
    before = last = 0.0
    for value in samples:
        before, last = last, value + coefficient * last - before
    power = last * last + before * before - coefficient * last * before
    whole = sum(value * value for value in samples)
    return 2 * power / (n * whole) if whole > 0 else 0.0


def tones(path):
    """Returns, of a WAV file, the share of the power of 440 Hz on the left and of 660 Hz on the right, and its seconds."""
    with wave.open(str(path)) as file:
        if (file.getnchannels(), file.getframerate(), file.getsampwidth()) != (2, 48000, 2):
            raise MediaError(f"{path}: {file.getparams()}")
        count = file.getnframes()
        raw = file.readframes(count)
    data = array.array("h")
    # A truncated WAV announces more samples than it has.
    data.frombytes(raw[:len(raw) // 4 * 4])
    if len(data) < 2 * 24000:
        raise MediaError(f"{path}: only {len(data) // 2} samples")
    middle = len(data) // 4 * 2
    piece = data[middle - 24000:middle + 24000]
    left, right = [v / 32768 for v in piece[0::2]], [v / 32768 for v in piece[1::2]]
    # Each channel is also checked for the other's tone: swapped or mixed channels fail.
    return goertzel(left, LEFT_HZ), goertzel(right, RIGHT_HZ), len(data) / 2 / 48000


def tone_shares(path, *tones):
    """Returns, of each tone, its mean share of the power of a second of the left channel, in the middle of a file of any format.

    Ten windows of 100 ms each, so that a resampler that shifts the frequency by some hertz changes nothing.
    """
    raw = subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", str(path), "-vn", "-f", "s16le", "-ac", "2", "-ar", "48000", "-"],
                         capture_output=True, timeout=60).stdout
    data = array.array("h")
    data.frombytes(raw[:len(raw) // 4 * 4])
    if len(data) < 2 * 48000:
        raise MediaError(f"{path}: only {len(data) // 2} samples")
    middle = len(data) // 4 * 2
    piece = data[middle - 48000:middle + 48000:2]
    windows = [piece[first:first + 4800] for first in range(0, 48000, 4800)]
    return [sum(goertzel(window, hertz) for window in windows) / len(windows) for hertz in tones]
