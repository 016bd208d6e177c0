"""Joins into one large session: CPU time of the relay per join at several sizes, and the latency of joins at a steady rate.

Each client has its own WebSocket and token. A join is timed from the moment at which it was due, before its TCP connection is opened, until
its answer is complete. The relay's CPU time is that of all its threads, including system calls and events for other clients."""

import argparse
import base64
import hashlib
import hmac
import json
import os
import pathlib
import resource
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


def cpu(process):
    """Returns the CPU seconds of all threads of a process."""
    total = 0
    for path in pathlib.Path(f"/proc/{process}/task").glob("*/schedstat"):
        try:
            total += int(path.read_text().split()[0])
        except (OSError, IndexError):
            pass
    return total / 1e9


def requests(users, port):
    """Returns the requests of all clients in the form that the client program reads: handshake and join of each, both behind their lengths."""
    parts = []
    for number in range(users):
        handshake = (f"GET /v1/connect HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                     "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                     f"Sec-WebSocket-Protocol: millrace.v1\r\nAuthorization: Bearer {token(number)}\r\n\r\n").encode()
        join = frame(json.dumps({"id": 1, "method": "join", "params": {"version": 1, "session": "bench", "name": f"user {number}"}}))
        for part in (handshake, join):
            parts += [struct.pack("<I", len(part)), part]
    return b"".join(parts)


class Run:
    def __init__(self, relay, port, arguments):
        self.relay, self.port, self.arguments = relay, port, arguments
        self.program = ROOT / "out/bench-joins-clients"
        subprocess.run(["cc", "-O2", "-Wall", "-Wextra", "-o", self.program, ROOT / "Benchmarks/joins/joins.c"], check=True)
        # CPU seconds of the relay, and bytes of the answer, by the number of joins.
        self.marks, self.answers = {}, {}
        self.latencies = []

    def window(self, size):
        """Returns the number of joins up to this size over which the cost is measured: those since the size before, at most the last half.
        Hundreds of joins would be too few, because garbage of the joins before is freed in between."""
        return size - max([size // 2, *(smaller for smaller in self.arguments.users if smaller < size)])

    def go(self):
        sizes = self.arguments.users
        marks = sorted({*sizes, *(size - self.window(size) for size in sizes)})
        clients = subprocess.Popen([self.program, *map(str, [self.port, self.arguments.rate, self.arguments.timeout, *marks])],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            with clients.stdin as file:
                file.write(requests(sizes[-1], self.port))
            for line in clients.stdout:
                kind, *values = line.decode().split()
                if kind == "mark":
                    joins, self.answers[joins] = map(int, values)
                    self.marks[joins] = cpu(self.relay.pid)
                elif kind == "seconds":
                    self.seconds, self.client_cpu = map(float, values)
                elif kind == "events":
                    self.events = int(values[0])
                elif kind == "latencies":
                    self.latencies = [int(value) / 1e6 for value in values]
        finally:
            clients.kill()
            clients.wait()
        if len(self.latencies) < sizes[-1]:
            raise SystemExit("the clients failed")

    def report(self):
        base, worst = None, 0.0
        late = sorted(self.latencies)
        print(f"{len(late)} joins in {self.seconds:.1f} s, {len(late) / self.seconds:.0f} a second; the clients read {self.events} events and"
              f" used {self.client_cpu:.1f} s of CPU")
        print(f"{'users':>7} {'CPU us/join':>12} {'ratio':>6} {'answer bytes':>13}")
        for size in self.arguments.users:
            window = self.window(size)
            cost = (self.marks[size] - self.marks[size - window]) / window
            base = base or cost
            worst = max(worst, cost / base)
            print(f"{size:7} {cost * 1e6:12.0f} {cost / base:6.2f} {self.answers[size]:13}")
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
