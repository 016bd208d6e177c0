"""A relay under test: the process, and its HTTP endpoints."""

import ipaddress
import json
import re
import secrets
import socket
import urllib.error
import urllib.request

import clients


def free_tcp_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


_taken = set()


def free_media_port():
    """Returns a port that is free for UDP and TCP, together with the next, and was not returned before."""
    while True:
        port = free_udp_pair()
        try:
            for number in (port, port + 1):
                with socket.socket() as s:
                    s.bind(("0.0.0.0", number))
        except OSError:
            continue
        return port


def free_udp_pair():
    """Returns an even UDP port that is free together with the next, and was not returned before."""
    while True:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as first:
            first.bind(("0.0.0.0", 0))
            port = first.getsockname()[1] & ~1
        if port in _taken or port < 1024:
            continue
        try:
            for number in (port, port + 1):
                with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
                    s.bind(("0.0.0.0", number))
        except OSError:
            continue
        _taken.add(port)
        return port


class RelayError(Exception):
    """The relay answered with an error, or did not answer."""

    def __init__(self, text, status=0, code=""):
        super().__init__(text)
        self.status, self.code = status, code


class Relay:
    def __init__(self, binary, folder, record=None, extra=(), name="relay", address=None, port=None, webrtc_port=None,
                 prefix=(), environment=None, admin_token=None):
        """`address`: of its endpoints, if that is not loopback; `prefix`: a command that runs the relay elsewhere; `admin_token`: of a
        relay with such an address, by default a token of its own.
        """
        self.binary = binary
        self.port, self.media_port = port or free_tcp_port(), free_udp_pair()
        self.webrtc_port = webrtc_port or free_media_port()
        self.address = address or "127.0.0.1"
        self.url = f"http://{f'[{self.address}]' if ':' in self.address else self.address}:{self.port}"
        command = [*prefix, binary, "serve", "--http-port", self.port, "--media-port", self.media_port,
                   "--webrtc-port", self.webrtc_port, *extra]
        self.admin_token = None
        if not address and "--media-advertised" not in extra:
            # With a single candidate a case knows the path of its packets.
            command += ["--media-advertised", "127.0.0.1"]
        if address:
            command += ["--http-address", address, "--media-address", address, "--media-advertised", address]
        if address and not ipaddress.ip_address(address).is_loopback:
            # A development relay, reached from another namespace, so that WHIP and WHEP need no token.
            self.admin_token = admin_token or secrets.token_hex(16)
            command += ["--dev", "--insecure-http", "--admin-token", self.admin_token]
        if record:
            command += ["--record", record]
        self.process = clients.Process("relay", command, folder / f"{name}.log", environment)
        try:
            clients.wait_until(lambda: self._ready() or not self.process.running, 20, "the relay's /readyz")
        except Exception:
            self.stop()
            raise
        if not self.process.running:
            raise RelayError(f"the relay ended at once: {self.process.tail()}")

    @property
    def pid(self):
        return self.process.process.pid

    def _ready(self):
        try:
            self.request("GET", "/readyz")
            return True
        except (RelayError, OSError):
            return False

    def stop(self):
        self.process.stop(patience=15)

    def kill(self):
        self.process.kill()

    def request(self, method, path, body=None, timeout=20):
        """Returns body and headers of the answer; raises `RelayError` for any error status."""
        data = json.dumps(body).encode() if body is not None else None
        headers = {"content-type": "application/json"} if data else {}
        if self.admin_token:
            headers["authorization"] = f"Bearer {self.admin_token}"
        request = urllib.request.Request(self.url + path, data, method=method, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                return answer.read(), answer.headers
        except urllib.error.HTTPError as error:
            text = error.read().decode(errors="replace")
            try:
                code = json.loads(text).get("code", "")
            except ValueError:
                code = ""
            raise RelayError(f"{method} {path}: {error.code} {text[:300]}", error.code, code) from None

    def open(self, direction, session, suite=clients.CM_80, mux=False, stream=None, kinds=("audio", "video"), codec=None):
        """Opens a plain transport. Returns its `Route`, and its location for `close`."""
        body = {"direction": direction, "suite": suite, "rtcpMux": mux}
        if stream:
            body["stream"] = stream
        for kind in kinds:
            body[kind] = {"payloadType": 111 if kind == "audio" else 96}
            if direction == "subscribe":
                body[kind]["port"] = free_udp_pair()
            else:
                # Below 2^31, because ffmpeg treats its SSRC as a signed number.
                body[kind]["ssrc"] = secrets.randbelow((1 << 31) - 1) + 1
        if codec:
            body["video"]["codec"] = codec
        raw, headers = self.request("POST", f"/v1/sessions/{session}/plain", body)
        answer = json.loads(raw)
        tracks = {}
        for kind in ("audio", "video"):
            item = answer.get(kind)
            tracks[kind] = item and clients.Track(item["port"], item["rtcpPort"], item["payloadType"], item["ssrc"])
        key = answer["clientKey" if direction == "publish" else "relayKey"]
        route = clients.Route(answer["address"], answer["suite"], key, tracks["audio"], tracks["video"],
                              answer.get("sdp", ""), answer["rtcpMux"])
        route.answer, route.location = answer, headers["Location"]
        return route

    def close(self, route):
        self.request("DELETE", route.location)

    def metrics(self):
        """Returns {'name{label="x"}': value}."""
        text = self.request("GET", "/metrics")[0].decode()
        values = {}
        for line in text.splitlines():
            found = re.match(r"([a-zA-Z_:][\w:]*(?:\{[^}]*\})?)\s+(\S+)$", line)
            if found:
                values[found[1]] = float(found[2])
        return values

    def dropped(self):
        """Returns the datagrams dropped on arrival, by cause."""
        return {found[1]: value for name, value in self.metrics().items()
                if (found := re.match(r'millrace_\w*dropped\w*\{cause="(\w+)"\}', name))}
