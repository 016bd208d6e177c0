"""Cases of many clients that never connect, of strangers on the path, and of the time to join."""

import http.client
import json
import os
import random
import re
import secrets
import socket
import struct
import threading
import time
import urllib.request

from aioice import stun

from webrtc.pairs import OWN, check_deleted, join, start
from webrtc.path import Path
from webrtc.watch import Watch, check_frames, check_audio, first_frame

HALF_OPEN = 4000
# The relay's default limit of transports that are not connected yet, and so of their number.
UNESTABLISHED = 2000
# All offers come from one address. Its limits, a thousand publishers by default, would refuse some before that limit takes effect.
PER_ADDRESS = ("--limit-participants-per-address", str(3 * HALF_OPEN), "--limit-transports-per-address", str(3 * HALF_OPEN))


# MARK: half-open sessions

def offers(text, count):
    """Returns the same offer with other credentials each time."""
    for _ in range(count):
        yield re.sub(r"a=ice-pwd:\S+", f"a=ice-pwd:{secrets.token_hex(12)}",
                     re.sub(r"a=ice-ufrag:\S+", f"a=ice-ufrag:{secrets.token_hex(4)}", text)).encode()


def post_all(relay, text, count, wave, threads=4):
    """Posts the offers; returns {status: count} and seconds."""
    statuses, lock = {}, threading.Lock()

    def post(which):
        connection = http.client.HTTPConnection(relay.address, relay.port, timeout=20)
        for number, body in enumerate(offers(text, count // threads)):
            connection.request("POST", f"/whip/half{wave}-{which}-{number // 250}?stream=s{number}", body,
                               {"Content-Type": "application/sdp"})
            answer = connection.getresponse()
            answer.read()
            with lock:
                statuses[answer.status] = statuses.get(answer.status, 0) + 1
        connection.close()

    began = time.monotonic()
    running = [threading.Thread(target=post, args=(n,)) for n in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    return statuses, time.monotonic() - began


def half_open(bench, name):
    """4,000 publishers that post an offer and never connect: memory is bounded, and a live call is not affected."""
    relay = bench.relay(extra=PER_ADDRESS)
    publisher, call = start(bench, relay, "aiortc", "live")
    subscriber, view = join(bench, relay, "aiortc", "live")
    text = bench.client("aiortc").call("offer")
    report = bench.reporter.check
    if first_frame(subscriber, view) is None:
        report(name, "receives a frame", False)
        return
    # The cost of the first few differs from that of the thousandth.
    post_all(relay, text, 40, 0)
    time.sleep(1)
    before = relay.memory()
    watch = Watch(subscriber, view)
    statuses, took = post_all(relay, text, HALF_OPEN, 1)
    grown = relay.memory() - before
    watch.end()
    report(name, "every offer is answered", statuses.get(201, 0) == HALF_OPEN, seconds=round(took, 1),
           **{f"status_{k}": v for k, v in statuses.items()})
    report(name, "at most 64 KiB each", grown / UNESTABLISHED <= 64 << 10, kib_each=round(grown / UNESTABLISHED / 1024, 1),
           mib=round(grown / (1 << 20), 1))
    # Both clients and the flood share this machine with the relay: frames may be late, but all of them arrive.
    check_frames(bench, f"{name}, during the flood", watch, OWN, rate=20, every=True)
    # The time limit to connect is 15 s.
    watch = Watch(subscriber, view)
    time.sleep(17)
    watch.end()
    sessions = json.loads(relay.request("GET", "/v1/sessions")[0])["sessions"]
    report(name, "sessions that never connected are removed", len(sessions) == 1, sessions=len(sessions))
    check_frames(bench, f"{name}, afterwards", watch, OWN, every=True)
    before = relay.memory()
    post_all(relay, text, HALF_OPEN, 2)
    report(name, "a second wave needs no more memory", relay.memory() - before < 16 << 20,
           mib=round((relay.memory() - before) / (1 << 20), 1))
    check_audio(bench, name, subscriber, view)


# MARK: strangers

def kind_of(data):
    """Returns the kind of a datagram by RFC 7983."""
    first = data[0] if data else 255
    return "stun" if first < 4 else "dtls" if 20 <= first < 64 else "media" if 128 <= first < 192 else "other"


class Stranger:
    """Sends from a separate address, and counts the datagrams that return."""

    def __init__(self, relay):
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind((relay.address, 0))
        self._socket.setblocking(False)
        self._to = (relay.address, relay.webrtc_port)
        self.sent = self.sent_bytes = self.came = self.came_bytes = 0

    def send(self, data):
        self.sent += 1
        self.sent_bytes += len(data)
        self._socket.sendto(data, self._to)
        self.look()

    def look(self):
        try:
            while data := self._socket.recv(65536):
                self.came += 1
                self.came_bytes += len(data)
        except BlockingIOError:
            return

    def wait(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.look()
            time.sleep(0.02)

    def stop(self):
        self._socket.close()


def damaged(data, r):
    at = r.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << r.randrange(8)]) + data[at + 1:]


def strangers(bench, name):
    """Random, truncated, damaged and replayed datagrams of a genuine call from elsewhere: no answer, no growth, no effect."""
    relay = bench.relay()
    report, r = bench.reporter.check, random.Random(3)
    path = bench.keep(Path(relay))
    path.listen()
    publisher, call = start(bench, relay, "aiortc", "strangers", rewrite=path.rewrite())
    subscriber, view = join(bench, relay, "aiortc", "strangers")
    if first_frame(subscriber, view) is None:
        report(name, "receives a frame", False)
        return
    time.sleep(2)
    genuine = {}
    for _, direction, data in list(path.record):
        if direction == "up":
            genuine.setdefault(kind_of(data), []).append(data)
    path.record = None
    memory = relay.memory()
    attacks = {
        "random": lambda: r.randbytes(r.randrange(1, 1400)),
        "truncated": lambda: (lambda d: d[:r.randrange(1, len(d))])(r.choice(r.choice(list(genuine.values())))),
        "damaged checks": lambda: damaged(r.choice(genuine["stun"]), r),
        "damaged media": lambda: damaged(r.choice(genuine["media"]), r),
        "replayed media": lambda: r.choice(genuine["media"]),
        "replayed handshake": lambda: r.choice(genuine["dtls"]),
        "empty and tiny": lambda: bytes(r.randrange(0, 4)),
        "STUN without credentials": lambda: struct.pack(">HHI12s", 1, 0, 0x2112A442, r.randbytes(12)),
    }
    watch = Watch(subscriber, view)
    for what, make in attacks.items():
        stranger = bench.keep(Stranger(relay))
        for n in range(1500):
            stranger.send(make())
            if n % 50 == 49:
                time.sleep(0.005)
        stranger.wait(0.2)
        report(name, f"no answer: {what}", stranger.came == 0, sent=stranger.sent, came=stranger.came)
    # These were genuine once; an observer can send them again.
    stranger = bench.keep(Stranger(relay))
    for data in genuine["stun"] * 20:
        stranger.send(data)
        time.sleep(0.001)
    stranger.wait(2)
    report(name, "replayed checks bring no more than they cost", stranger.came_bytes <= stranger.sent_bytes,
           amplification=round(stranger.came_bytes / max(1, stranger.sent_bytes), 2), sent=stranger.sent, came=stranger.came)
    time.sleep(0.5)
    watch.end()
    # Both clients and the flood share this machine with the relay: frames may be late, but all of them arrive.
    check_frames(bench, f"{name}, during the attack", watch, OWN, rate=20, every=True)
    grown = relay.memory() - memory
    report(name, "no growth", grown < 8 << 20, mib=round(grown / (1 << 20), 1))
    report(name, "the relay still answers", json.loads(relay.request("GET", "/v1/sessions")[0]) is not None)
    check_audio(bench, name, subscriber, view)
    amplification(bench, name, relay)


def amplification(bench, name, relay):
    """A participant with a session names another host's address as the source: the relay must not be an amplifier."""
    text = bench.client("aiortc").call("offer")
    request = urllib.request.Request(relay.whip("amplified"), text.encode(), {"Content-Type": "application/sdp"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        sdp = answer.read().decode()
    own, pwd = re.search(r"a=ice-ufrag:(\S+)", text)[1], re.search(r"a=ice-pwd:(\S+)", sdp)[1]
    theirs = re.search(r"a=ice-ufrag:(\S+)", sdp)[1]
    check = stun.Message(message_method=stun.Method.BINDING, message_class=stun.Class.REQUEST)
    check.attributes.update({"USERNAME": f"{theirs}:{own}", "PRIORITY": 1845501695,
                             "ICE-CONTROLLING": int.from_bytes(os.urandom(8))})
    check.add_message_integrity(pwd.encode())
    stranger = bench.keep(Stranger(relay))
    stranger.send(bytes(check))
    stranger.wait(4)
    bench.reporter.check(name, "one check is answered with no more than it cost, and nothing follows",
                         0 < stranger.came_bytes <= stranger.sent_bytes, sent=stranger.sent_bytes, came=stranger.came_bytes,
                         datagrams=stranger.came, amplification=round(stranger.came_bytes / stranger.sent_bytes, 2))


# MARK: joining

def turnarounds(record):
    """Returns the seconds for which a peer waited for the relay during the handshakes: from the last datagram up to the first one down."""
    waited, last, began = 0.0, None, None
    for at, direction, data in record:
        kind = kind_of(data)
        if kind == "media":
            # The publisher's first media packet ends the handshake.
            if direction == "up" and not 192 <= data[1] <= 223:
                return waited, at - began
            continue
        began = began or at
        if direction == "up":
            last = at
        elif last is not None:
            waited += at - last
            last = None
    return waited, None


def join_time(bench, name):
    """WHIP POST to the first forwarded RTP. aiortc's own time (pauses, crypto in Python) is the time while the relay has
    answered everything; the relay's own time is the answer to the POST and its turnarounds."""
    relay = bench.relay()
    own, whole = [], []
    for number in range(15 if bench.long else 8):
        path = bench.keep(Path(relay))
        path.listen()
        publisher, call = start(bench, relay, "aiortc", f"join{number}", rewrite=path.rewrite(), width=320, height=180)
        end = time.monotonic() + 5
        while time.monotonic() < end and turnarounds(list(path.record))[1] is None:
            time.sleep(0.01)
        waited, handshakes = turnarounds(list(path.record))
        times = publisher.call("state", id=call)["times"]
        post = times["answered"] - times["posted"]
        if handshakes is not None:
            own.append(post + waited * 1000)
            whole.append(post + handshakes * 1000)
        check_deleted(bench, name, publisher, call)
        publisher.stop()
    own.sort()
    whole.sort()
    bench.reporter.check(name, "p50 under 150 ms", bool(own) and own[len(own) // 2] < 150,
                         relay=[round(t) for t in own], with_aiortc=[round(t) for t in whole])


ALL = [
    ("join time", join_time),
    ("strangers", strangers),
    ("half-open sessions", half_open),
]
LONG = []
