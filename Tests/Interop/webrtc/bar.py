"""The machine-readable bar of test frames, and the frames themselves. The same bar as in page/bar.js.

Three rows of sixteen cells along the upper edge, each a sixteenth of the width and a fifteenth of the height: frame number;
milliseconds of the wall clock; source id in the upper byte and CRC-8 of all other bytes in the lower.
"""

import time

import numpy

COLUMNS, ROWS, ROW_SHARE = 16, 3, 15


def crc8(data):
    crc = 0xFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc << 1 ^ 0x07) & 0xFF if crc & 0x80 else crc << 1
    return crc


def words(number, milliseconds, source):
    number, milliseconds = number & 0xFFFF, milliseconds & 0xFFFF
    check = crc8([number >> 8, number & 255, milliseconds >> 8, milliseconds & 255, source])
    return number, milliseconds, source << 8 | check


def clock():
    """Returns milliseconds of the wall clock, which all clients on this machine share."""
    return int(time.time() * 1000)


def draw(luma, number, source, milliseconds=None):
    height, width = luma.shape
    row = height // ROW_SHARE
    bits = numpy.array([[word >> x & 1 for x in range(COLUMNS)]
                        for word in words(number, clock() if milliseconds is None else milliseconds, source)], numpy.uint8)
    edges = numpy.arange(width) * COLUMNS // width
    luma[:row * ROWS] = numpy.repeat(16 + bits[:, edges] * 219, row, axis=0)


def stamped(luma):
    """Returns (number, milliseconds modulo 65,536, source), or None if the frame is damaged."""
    height, width = luma.shape
    xs = ((numpy.arange(COLUMNS) + 0.5) * width / COLUMNS).astype(int)
    found = []
    for y in range(ROWS):
        middle = int((y + 0.5) * height / ROW_SHARE)
        lit = luma[middle - 1:middle + 1, :][:, xs].astype(int).sum(axis=0) + luma[middle - 1:middle + 1, :][:, xs + 1].sum(axis=0) > 4 * 128
        found.append(int((lit << numpy.arange(COLUMNS)).sum()))
    number, stamp, last = found
    source = last >> 8
    return (number, stamp, source) if words(number, stamp, source)[2] == last else None


def read(luma):
    """Returns (number, latency in ms, source), or None if the frame is damaged."""
    found = stamped(luma)
    return found and (found[0], (clock() - found[1]) & 0xFFFF, found[2])


class TestVideo:
    """Moving planes of I420 with the bar drawn into them."""

    def __init__(self, width=640, height=360, source=1):
        self.width, self.height, self.source = width, height, source
        y, x = numpy.mgrid[0:height, 0:width]
        grain = (x * 7919 + y * 104729 + x * y) % 37
        self._luma = (((x >> 4) ^ (y >> 4)) * 8 % 180 + grain + 16).astype(numpy.uint8)
        self._chroma = numpy.stack([(x[::2, ::2] * 160 // width + 48), (y[::2, ::2] * 160 // height + 48)]).astype(numpy.uint8)

    def planes(self, number, milliseconds=None):
        """Returns one array of height * 3 / 2 rows."""
        luma = numpy.roll(self._luma, -3 * number % self.width, axis=1)
        draw(luma, number, self.source, milliseconds)
        return numpy.concatenate([luma, self._chroma.reshape(self.height // 2, self.width)])
