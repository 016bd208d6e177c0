"""A WebSocket client that can break every rule of RFC 6455."""

import base64
import os
import select
import socket
import struct

TEXT, BINARY, CLOSE, PING = 1, 2, 8, 9


class Closed(Exception):
    """The relay closed the connection, or did not accept it."""


def frame(opcode, payload, final=True, mask=True, reserved=0, length=None):
    """Returns the bytes of a frame; `length` is the length that its header claims, by default that of the payload."""
    length = len(payload) if length is None else length
    head = bytes([(0x80 if final else 0) | reserved << 4 | opcode])
    bit = 0x80 if mask else 0
    if length < 126:
        head += bytes([bit | length])
    elif length < 1 << 16:
        head += bytes([bit | 126]) + struct.pack(">H", length)
    else:
        head += bytes([bit | 127]) + struct.pack(">Q", length)
    if not mask:
        return head + payload
    key = os.urandom(4)
    stream = (key * (len(payload) // 4 + 1))[:len(payload)]
    masked = int.from_bytes(payload, "big") ^ int.from_bytes(stream, "big") if payload else 0
    return head + key + masked.to_bytes(len(payload), "big")


class WebSocket:
    """A WebSocket; confined to one thread."""

    def __init__(self, port, path="/v1/connect", headers=(), timeout=20):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Upgrade: websocket", "Connection: Upgrade",
                 f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Protocol: millrace.v1", *headers]
        self.buffer = b""
        self.is_open = True
        try:
            self.send(("\r\n".join(lines) + "\r\n\r\n").encode())
            while b"\r\n\r\n" not in self.buffer:
                self._read(timeout)
        except Closed:
            self.close()
            raise
        head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        self.status = int(head.split(b" ", 2)[1])
        if self.status != 101:
            self.close()
            raise Closed(f"status {self.status}")

    def send(self, data):
        try:
            self.socket.sendall(data)
        except OSError as error:
            self.is_open = False
            raise Closed(str(error)) from None

    def text(self, text):
        self.send(frame(TEXT, text if isinstance(text, bytes) else text.encode()))

    def _read(self, timeout):
        """Reads data that arrives within this time; returns false if there is none."""
        # Not select(), which accepts no descriptor above 1,023.
        waiting = select.poll()
        waiting.register(self.socket, select.POLLIN)
        if not waiting.poll(timeout * 1_000):
            return False
        try:
            data = self.socket.recv(1 << 18)
        except OSError as error:
            self.is_open = False
            raise Closed(str(error)) from None
        if not data:
            self.is_open = False
            raise Closed("end of stream")
        self.buffer += data
        return True

    def messages(self, timeout):
        """Returns texts that arrive within this time, or at once if some are queued; answers pings."""
        found = []
        while True:
            while (item := self._frame()) is not None:
                opcode, payload = item
                if opcode == CLOSE:
                    self.is_open = False
                    if found:
                        return found
                    raise Closed(payload[2:].decode(errors="replace"))
                if opcode == PING:
                    self.send(frame(10, payload))
                elif opcode == TEXT:
                    found.append(payload)
            if found or not self._read(timeout):
                return found

    def _frame(self):
        data = self.buffer
        if len(data) < 2:
            return None
        length, start = data[1] & 0x7f, 2
        if length == 126:
            if len(data) < 4:
                return None
            length, start = struct.unpack(">H", data[2:4])[0], 4
        elif length == 127:
            if len(data) < 10:
                return None
            length, start = struct.unpack(">Q", data[2:10])[0], 10
        if len(data) < start + length:
            return None
        self.buffer = data[start + length:]
        return data[0] & 0x0f, data[start:start + length]

    def close(self):
        self.is_open = False
        self.socket.close()
