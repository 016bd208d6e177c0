"""Joins into one large session: CPU time of the relay per join at several sizes, and the latency of joins at a steady rate.

Each client has its own WebSocket and token. A join is timed from the moment at which it was due, before its TCP connection is opened, until
its answer is complete. The relay's CPU time is that of all its threads, including system calls and events for other clients."""

import argparse
import base64
import collections
import hashlib
import hmac
import json
import os
import pathlib
import resource
import select
import socket
import struct
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SECRET = "a-secret-of-the-benchmark-of-at-least-32-bytes"


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def token(number):
    now = int(time.time())
    claims = {"app_key": "bench", "tpc": "bench", "role_type": 1 if number == 0 else 0, "user_identity": f"u{number}", "version": 1,
              "iat": now - 60, "exp": now + 3600}
    text = f'{encoded(json.dumps({"alg": "HS256", "typ": "JWT"}).encode())}.{encoded(json.dumps(claims).encode())}'
    return f"{text}.{encoded(hmac.new(SECRET.encode(), text.encode(), hashlib.sha256).digest())}"


def frame(text):
    """Returns a text frame of a client; the mask is zero, which leaves the text unchanged (RFC 6455 section 5.3)."""
    data = text.encode()
    size = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + struct.pack(">H", len(data))
    return b"\x81" + size + b"\0\0\0\0" + data


class Client:
    __slots__ = ("socket", "due", "upgrade", "join", "state", "data")

    def __init__(self, number, port):
        self.upgrade = (f"GET /v1/connect HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                        f"Sec-WebSocket-Protocol: millrace.v1\r\nAuthorization: Bearer {token(number)}\r\n\r\n").encode()
        self.join = frame(json.dumps({"id": 1, "method": "join", "params": {"version": 1, "session": "bench", "name": f"user {number}"}}))
        self.socket, self.due, self.state, self.data = None, 0.0, "new", b""


def answer(data):
    """Returns the text of the first message if it is complete; otherwise None."""
    if len(data) < 2:
        return None
    size, start = data[1] & 127, 2
    if size == 126:
        size, start = int.from_bytes(data[2:4], "big"), 4
    elif size == 127:
        size, start = int.from_bytes(data[2:10], "big"), 10
    return data[start:start + size] if len(data) >= start + size else None


class Run:
    def __init__(self, relay, port, arguments):
        self.relay, self.port, self.arguments = relay, port, arguments
        self.clients = [Client(number, port) for number in range(arguments.users[-1])]
        self.poll, self.by_file = select.epoll(), {}
        self.latencies, self.answers, self.marks, self.messages = [], [], {}, 0

    def cpu(self):
        """Returns the CPU seconds of all threads."""
        total = 0
        for path in pathlib.Path(f"/proc/{self.relay.pid}/task").glob("*/schedstat"):
            try:
                total += int(path.read_text().split()[0])
            except (OSError, IndexError):
                pass
        return total / 1e9

    def start(self, client):
        client.socket = socket.socket()
        client.socket.setblocking(False)
        client.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client.socket.connect_ex(("127.0.0.1", self.port))
        client.state = "connecting"
        self.by_file[client.socket.fileno()] = client
        self.poll.register(client.socket.fileno(), select.EPOLLOUT)

    def ready(self, client):
        """Handles received data, or an established connection."""
        if client.state == "connecting":
            client.socket.send(client.upgrade)
            client.state = "upgrading"
            self.poll.modify(client.socket.fileno(), select.EPOLLIN)
            return
        try:
            data = client.socket.recv(1 << 18)
        except ConnectionError:
            data = b""
        if not data:
            raise SystemExit(f"the relay closed a connection while it was {client.state}, after {len(self.latencies)} joins: {client.data[:300]}")
        if client.state == "joined":
            self.messages += 1
            return
        client.data += data
        if client.state == "upgrading":
            head, end, client.data = client.data.partition(b"\r\n\r\n")
            if not end:
                client.data = head
                return
            if not head.startswith(b"HTTP/1.1 101"):
                raise SystemExit(f"the relay answered {head.splitlines()[0].decode()}: {client.data.decode()[:300]}")
            client.socket.send(client.join)
            client.state = "joining"
        text = answer(client.data)
        if text is not None:
            self.joined(client, text)

    def joined(self, client, text):
        if b'"result"' not in text[:40] and b'"error"' in text:
            raise SystemExit(f"a join was refused: {text[:300].decode()}")
        self.latencies.append(time.monotonic() - client.due)
        self.answers.append(len(text))
        client.state, client.data = "joined", b""
        count = len(self.latencies)
        for size in self.arguments.users:
            if count in (size - self.window(size), size):
                self.marks[size, count] = self.cpu()

    def window(self, size):
        """Returns the number of joins up to this size over which the cost is measured: those since the size before, at most the last half.
        Hundreds of joins would be too few, because garbage of the joins before is freed in between."""
        return size - max([size // 2, *(smaller for smaller in self.arguments.users if smaller < size)])

    def go(self):
        waiting = collections.deque(self.clients)
        began = time.monotonic()
        for number, client in enumerate(self.clients):
            client.due = began + number / self.arguments.rate
        while len(self.latencies) < len(self.clients):
            now = time.monotonic()
            if now - began > self.arguments.timeout:
                raise SystemExit(f"{len(self.latencies)} of {len(self.clients)} had joined after {self.arguments.timeout} s")
            while waiting and waiting[0].due <= now:
                self.start(waiting.popleft())
            pause = max(waiting[0].due - now, 0) if waiting else 0.1
            for file, _ in self.poll.poll(pause, 512):
                self.ready(self.by_file[file])
        self.seconds = time.monotonic() - began

    def report(self):
        base, worst = None, 0.0
        late = sorted(self.latencies)
        print(f"{len(late)} joins in {self.seconds:.1f} s, {len(late) / self.seconds:.0f} a second")
        print(f"{'users':>7} {'CPU us/join':>12} {'ratio':>6} {'answer bytes':>13}")
        for size in self.arguments.users:
            window = self.window(size)
            cost = (self.marks[size, size] - self.marks[size, size - window]) / window
            base = base or cost
            worst = max(worst, cost / base)
            print(f"{size:7} {cost * 1e6:12.0f} {cost / base:6.2f} {self.answers[size - 1]:13}")
        p50, p99 = (late[min(int(len(late) * share), len(late) - 1)] * 1e3 for share in (0.5, 0.99))
        print(f"join latency: p50 {p50:.1f} ms, p99 {p99:.1f} ms, most {late[-1] * 1e3:.1f} ms")
        limits = self.arguments
        return 0 if (not limits.max_ratio or worst <= limits.max_ratio) and (not limits.max_p99 or p99 <= limits.max_p99) else 1


def main():
    parser = argparse.ArgumentParser(prog="tools/bench joins", description=__doc__.split("\n\n")[0])
    parser.add_argument("--relay", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--users", type=lambda text: sorted(map(int, text.split(","))), default=[1000, 2500, 5000, 10000],
                        help="sizes of the session to measure at (default 1000,2500,5000,10000)")
    parser.add_argument("--rate", type=float, default=2000, help="joins a second (default 2000)")
    parser.add_argument("--listed", type=int, default=None, help="limit.listedUsers of the relay (default: its own)")
    parser.add_argument("--max-ratio", type=float, default=0, help="maximum cost of a join relative to the first size; 0: any")
    parser.add_argument("--max-p99", type=float, default=0, help="maximum milliseconds of a join at the 99th percentile; 0: any")
    parser.add_argument("--timeout", type=float, default=300, help="time limit of the run in seconds (default 300)")
    arguments = parser.parse_args()
    most = arguments.users[-1]
    if arguments.users[0] < 100 or most > 100_000 or arguments.rate <= 0:
        parser.error("sizes are 100 to 100,000, the rate is above 0")
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard != resource.RLIM_INFINITY and hard < most + 200:
        parser.error(f"{most} clients need as many open files; the limit here is {hard} (ulimit -Hn)")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    (ROOT / "out").mkdir(exist_ok=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = {"http-port": port, "apps": f"bench:{SECRET}", "app-default": "bench", "limit-participants": most + 1,
               "limit-unjoined": most, "limit-unjoined-per-address": most, "limit-participants-per-address": most,
               "http-connections": most + 100, "http-connections-per-address": most + 100, "connect-ping-seconds": 600, "log-level": "warning",
               "media-port": 0, "webrtc-port": 0, "media-workers": 1}
    if arguments.listed is not None:
        options["limit-listed-users"] = arguments.listed
    log = open(ROOT / "out/bench-joins.log", "w+")
    relay = subprocess.Popen([arguments.relay, "serve", *(part for name, value in options.items() for part in (f"--{name}", str(value)))],
                             stdout=subprocess.DEVNULL, stderr=log, text=True)
    try:
        for _ in range(300):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            if relay.poll() is not None:
                raise SystemExit(f"the relay ended; see {log.name}")
            time.sleep(0.1)
        run = Run(relay, port, arguments)
        run.go()
        return run.report()
    finally:
        relay.terminate()
        try:
            relay.wait(10)
        except subprocess.TimeoutExpired:
            relay.kill()


if __name__ == "__main__":
    sys.exit(main())
