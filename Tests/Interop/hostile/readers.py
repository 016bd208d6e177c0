"""Readers of canvases that stay attached to hostile streams, so that decoders and writers process them."""

import socket
import struct
import threading
import time
import zlib


def fetch(port, path, limit, timeout=10):
    """Returns status and body of a GET, with at most `limit` bytes of it; chunks are joined."""
    with socket.create_connection(("127.0.0.1", port), timeout=timeout) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode())
        data = b""
        while len(data) < limit:
            part = connection.recv(1 << 18)
            if not part:
                break
            data += part
    head, _, body = data.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/"):
        raise OSError("no answer")
    if b"transfer-encoding: chunked" in head.lower():
        whole = b""
        while body:
            size, _, body = body.partition(b"\r\n")
            length = int(size or b"0", 16)
            if not length:
                break
            whole, body = whole + body[:length], body[length + 2:]
        body = whole
    return int(head.split(b" ")[1]), body


def png_size(data):
    """Returns width and height of a PNG whose chunks, checksums and pixels are complete (W3C PNG section 5)."""
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise ValueError("no PNG")
    at, pixels, size, depth = 8, b"", None, 0
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if zlib.crc32(kind + body) != struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0]:
            raise ValueError(f"check sum of {kind!r}")
        if kind == b"IHDR":
            size, depth = struct.unpack(">II", body[:8]), {0: 1, 2: 3, 6: 4}[body[9]]
        elif kind == b"IDAT":
            pixels += body
        at += 12 + length
    if len(zlib.decompress(pixels)) != size[1] * (1 + size[0] * depth):
        raise ValueError("pixels missing")
    return size


class Reader(threading.Thread):
    """Reads one canvas repeatedly until it is stopped."""

    def __init__(self, port, session, stream, kind, rate=10):
        super().__init__(daemon=True)
        self.port, self.kind = port, kind
        query = f"?rate={rate}" if kind == "y4m" else ""
        self.path = f"/v1/sessions/{session}/streams/{stream}/canvas.{kind}{query}"
        self.stopping = threading.Event()
        self.bytes, self.bodies, self.refused = 0, 0, 0

    def run(self):
        while not self.stopping.is_set():
            try:
                self.read()
            except OSError:
                pass
            self.stopping.wait(0.5)

    def read(self):
        with socket.create_connection(("127.0.0.1", self.port), timeout=5) as connection:
            connection.sendall(f"GET {self.path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nConnection: close\r\n\r\n".encode())
            connection.settimeout(1)
            first, end = True, time.monotonic() + 60
            while not self.stopping.is_set() and time.monotonic() < end:
                try:
                    part = connection.recv(1 << 20)
                except TimeoutError:
                    continue
                if not part:
                    return
                if first:
                    first = False
                    if b" 200 " not in part[:20]:
                        self.refused += 1
                        return
                    self.bodies += 1
                self.bytes += len(part)


class Readers:
    """All canvases of some streams."""

    def __init__(self, port, sessions, streams):
        self.threads = [Reader(port, session, stream, kind) for session in sessions for stream in streams
                        for kind in ("y4m", "wav", "png")]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        for thread in self.threads:
            thread.stopping.set()
        for thread in self.threads:
            thread.join(10)

    def totals(self):
        """Returns bodies and bytes by kind."""
        found = {}
        for thread in self.threads:
            item = found.setdefault(thread.kind, {"bodies": 0, "bytes": 0})
            item["bodies"] += thread.bodies
            item["bytes"] += thread.bytes
        return found
