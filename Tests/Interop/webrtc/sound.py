"""Two tones, and their share in received audio."""

import subprocess

import numpy

LEFT_HZ, RIGHT_HZ, RATE = 440, 660, 48000


def stereo(at, count, swapped=False):
    """Returns interleaved samples from this sample on; `swapped`: the tones on the wrong sides."""
    t = (at + numpy.arange(count)) / RATE
    sides = [0.3 * numpy.sin(2 * numpy.pi * hertz * t) for hertz in ((RIGHT_HZ, LEFT_HZ) if swapped else (LEFT_HZ, RIGHT_HZ))]
    return (numpy.stack(sides, axis=1) * 32767).astype(numpy.int16)


def share(samples, hertz):
    """Returns the share of the power within 25 Hz of this tone, by FFT (a pure tone: 1)."""
    spectrum = numpy.abs(numpy.fft.rfft(samples * numpy.hanning(len(samples)))) ** 2
    frequencies = numpy.fft.rfftfreq(len(samples), 1 / RATE)
    whole = spectrum.sum()
    return float(spectrum[numpy.abs(frequencies - hertz) < 25].sum() / whole) if whole > 0 else 0.0


def heard(sides):
    """Returns the values that the test page returns: shares of the tones, channels, level. `sides`: rows of left and right, -1...1."""
    left, right = sides[:, 0], sides[:, 1]
    return {"left": share(left, LEFT_HZ), "right": share(right, RIGHT_HZ), "channels": 2,
            "level": float(min(numpy.sqrt((left ** 2).mean()), numpy.sqrt((right ** 2).mean())))}


def mono(path, track=0):
    """Returns the samples of an audio track at 48 kHz as an array of -1...1, from the time zero of the file on. Gaps are silence."""
    raw = subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", str(path), "-map", f"0:a:{track}", "-af", "aresample=async=1:min_hard_comp=0.002:first_pts=0",
                          "-f", "f32le", "-ac", "1", "-ar", "48000", "-"], capture_output=True, timeout=300).stdout
    return numpy.frombuffer(raw[:len(raw) // 4 * 4], numpy.float32)
