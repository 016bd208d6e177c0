"""A slow network interface of the relay's host must not delay media of other interfaces."""

import base64
import json
import secrets
import select
import socket
import struct
import threading
import time

import clients
from webrtc.network import CLIENT, SLOW_CLIENT

AUDIO, VIDEO = 111, 96
# VP8 payload descriptor (S=1) and the first bytes of a key frame of 320 by 180 (RFC 7741, RFC 6386 section 9.1).
KEY_FRAME = bytes([0x10, 0x50, 0x10, 0x00, 0x9D, 0x01, 0x2A, 0x40, 0x01, 0xB4, 0x00])
CONTINUATION = bytes([0x00])
STAMP = struct.Struct(">IQ")


def srtp(key, inbound):
    from pylibsrtp import Policy, Session
    kind = Policy.SSRC_ANY_INBOUND if inbound else Policy.SSRC_ANY_OUTBOUND
    return Session(policy=Policy(key=base64.b64decode(key), ssrc_type=kind))


class Sender(threading.Thread):
    """Publishes packets whose payload ends with their number and their send time (ns)."""

    def __init__(self, route, address, track, payload_type, packets, size, rate):
        super().__init__(daemon=True)
        self._session = srtp(route.key, False)
        self._to = (address, track.port)
        self._track, self._type, self._packets, self._size, self._rate = track, payload_type, packets, size, rate
        self.sent, self._stopping = 0, False
        self.start()

    def run(self):
        out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        out.bind((CLIENT, 0))
        clock = 90_000 if self._type == VIDEO else 48_000
        started, sequence, frame = time.monotonic(), secrets.randbelow(1 << 15), 0
        while not self._stopping:
            for i in range(self._packets):
                head = b"" if self._type == AUDIO else KEY_FRAME if i == 0 else CONTINUATION
                marker = 0x80 if self._type == VIDEO and i == self._packets - 1 else 0
                timestamp = int(frame * clock / self._rate) & 0xFFFF_FFFF
                stamp = STAMP.pack(self.sent, time.monotonic_ns())
                packet = struct.pack(">BBHII", 0x80, marker | self._type, sequence & 0xFFFF, timestamp, self._track.ssrc)
                packet += head + bytes(max(0, self._size - len(head) - len(stamp))) + stamp
                out.sendto(self._session.protect(packet), self._to)
                sequence += 1
                self.sent += 1
            frame += 1
            time.sleep(max(0, started + frame / self._rate - time.monotonic()))
        out.close()

    def stop(self):
        self._stopping = True
        self.join()


class Receiver(threading.Thread):
    """Receives one track of a session: {number: delay in seconds}."""

    def __init__(self, relay, session, kind, address):
        super().__init__(daemon=True)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        self._socket.bind((address, 0))
        payload_type = AUDIO if kind == "audio" else VIDEO
        body = {"direction": "subscribe", "suite": clients.CM_80, "rtcpMux": True, "address": address,
                kind: {"payloadType": payload_type, "port": self._socket.getsockname()[1]}}
        raw, _ = relay.request("POST", f"/v1/sessions/{session}/plain", body)
        self._session = srtp(json.loads(raw)["relayKey"], True)
        self._type = payload_type
        self.delays, self._stopping = {}, False
        self.start()

    def run(self):
        while not self._stopping:
            if not select.select([self._socket], [], [], 0.1)[0]:
                continue
            data, now = self._socket.recv(4096), time.monotonic_ns()
            if len(data) < 12 or data[1] & 0x7F != self._type:
                continue
            plain = self._session.unprotect(data)
            number, sent = STAMP.unpack(plain[-STAMP.size:])
            self.delays[number] = (now - sent) / 1e9

    def stop(self):
        self._stopping = True
        self.join()
        self._socket.close()


def quantile(values, share):
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)] if ordered else float("inf")


def measure(bench, name, sender, receiver, seconds, text):
    """Returns, for packets sent in the next seconds, the 95th and 99th percentile of their delay (ms), and how many are missing."""
    first = sender.sent
    time.sleep(seconds)
    last = sender.sent
    # A packet that is seconds late is late, not lost.
    clients_deadline = time.monotonic() + 6
    while time.monotonic() < clients_deadline and any(n not in receiver.delays for n in range(first, last)):
        time.sleep(0.1)
    delays = [receiver.delays[n] * 1e3 for n in range(first, last) if n in receiver.delays]
    seen = quantile(delays, 0.95), quantile(delays, 0.99), last - first - len(delays)
    bench.reporter.progress(f"{name}: {text}: p95 {seen[0]:.1f} ms, p99 {seen[1]:.1f} ms, longest {max(delays, default=0):.0f} ms, "
                            f"{seen[2]} of {last - first} lost")
    return seen


def slow_interface(bench, name):
    """Two sessions on one worker. One of them has subscribers behind an interface that sends 200 kb/s of its 20 Mb/s."""
    bench.need_network()
    bench.need(bench.network.slow_interface(200), "the token bucket queue of Linux (tc tbf)")
    relay = bench.relay(apart=True, extra=("--media-workers", "1", "--limit-send-buffer-bytes", "1048576"))
    fast, slow = relay.open("publish", "fast", mux=True, stream="cam1"), relay.open("publish", "slow", mux=True, stream="cam1")
    receivers = {kind: bench.keep(Receiver(relay, "fast", kind, CLIENT)) for kind in ("audio", "video")}
    senders = {"audio": bench.keep(Sender(fast, relay.address, fast.audio, AUDIO, 1, 120, 100)),
               "video": bench.keep(Sender(fast, relay.address, fast.video, VIDEO, 3, 1000, 30))}
    bench.keep(Sender(slow, relay.address, slow.video, VIDEO, 8, 1100, 30))
    slow_audio = bench.keep(Sender(slow, relay.address, slow.audio, AUDIO, 1, 120, 50))
    time.sleep(1)
    before = {kind: measure(bench, name, senders[kind], receivers[kind], 2, f"{kind} before") for kind in senders}
    for _ in range(10):
        bench.keep(Receiver(relay, "slow", "video", SLOW_CLIENT))
    bench.keep(Receiver(relay, "slow", "audio", SLOW_CLIENT))

    def dropped():
        return sum(value for key, value in relay.metrics().items() if key.startswith("millrace_send_drops_total{"))

    # No requests are sent in this time: a relay that waits for the interface would not answer them.
    time.sleep(2)
    for kind, sender in senders.items():
        p95, p99, lost = measure(bench, name, sender, receivers[kind], 3, f"{kind} beside the slow interface")
        least, usual = before[kind][0], before[kind][1]
        bench.reporter.check(name, f"p95 of the delay of {kind} in another session rises by no more than 5 ms", p95 <= least + 5 + least,
                             before=round(least, 1), beside=round(p95, 1), p99_before=round(usual, 1), p99=round(p99, 1))
        bench.reporter.check(name, f"no packet of {kind} of another session is lost", lost <= before[kind][2], lost=lost)
    bench.reporter.check(name, "packets for the slow interface were dropped, and counted", dropped() > 0, dropped=int(dropped()))
    bench.reporter.check(name, "the session behind it is still served", slow_audio.is_alive())


ALL = [("a slow interface", slow_interface)]
LONG = []
