"""A participant of a session without media: a WebSocket of the control protocol, by the standard library alone."""

import base64
import json
import os
import socket
import struct
import urllib.parse

TEXT, CLOSE, PING, PONG = 1, 8, 9, 10


class Participant:
    """Joins a session of a relay that was started with `--dev`, and asks for one thing after the other."""

    def __init__(self, relay, session, name, role="host"):
        query = urllib.parse.urlencode({"session": session, "name": name, "role": role})
        token = json.loads(relay.request("GET", f"/v1/dev/token?{query}")[0])["token"]
        self._socket = socket.create_connection((relay.address, relay.port), 10)
        self._stream = self._socket.makefile("rb")
        self._id = 0
        fields = {"Host": f"{relay.address}:{relay.port}", "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
                  "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(), "Sec-WebSocket-Protocol": "millrace.v1"}
        lines = "".join(f"{field}: {value}\r\n" for field, value in fields.items())
        self._socket.sendall(f"GET /v1/connect HTTP/1.1\r\n{lines}\r\n".encode())
        status = self._stream.readline()
        if b" 101 " not in status:
            raise ConnectionError(f"no WebSocket: {status!r}")
        while self._stream.readline().strip():
            pass
        self.joined = self.ask("join", version=1, session=session, name=name, token=token)

    def ask(self, method, **parameters):
        """Returns the result of a request; skips events."""
        self._id += 1
        self._send(TEXT, json.dumps({"id": self._id, "method": method, "params": parameters}).encode())
        while True:
            message = json.loads(self._receive())
            if message.get("id") != self._id:
                continue
            if "error" in message:
                raise ConnectionError(f"{method}: {message['error']}")
            return message["result"]

    def close(self):
        """Closes the socket without a close frame, as a lost connection does, if it is still open."""
        self._stream.close()
        self._socket.close()

    def _send(self, kind, data):
        # Masked with zeros: a test need not hide its bytes from proxies.
        size = bytes([0x80 | len(data)]) if len(data) < 126 else bytes([0x80 | 126]) + struct.pack("!H", len(data))
        self._socket.sendall(bytes([0x80 | kind]) + size + bytes(4) + data)

    def _receive(self):
        """Returns the next text, which the relay sends in one frame; answers pings."""
        while True:
            head = self._read(2)
            size = head[1] & 0x7F
            if size >= 126:
                size = int.from_bytes(self._read(2 if size == 126 else 8), "big")
            data = self._read(size)
            kind = head[0] & 0xF
            if kind == TEXT:
                return data
            if kind == CLOSE:
                raise ConnectionError("the relay has closed the connection")
            if kind == PING:
                self._send(PONG, data)

    def _read(self, count):
        data = self._stream.read(count)
        if len(data) < count:
            raise ConnectionError("the relay is gone")
        return data
