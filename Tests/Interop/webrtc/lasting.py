"""Every kind of client for longer than consent to send lasts (30 s, RFC 7675): many send no STUN requests while their media flows."""

import collections
import importlib.util
import os
import pathlib
import time

import clients
from relay import RelayError
from webrtc import chromium, firefox, native, whip_client
from webrtc.devtools import BrowserError
from webrtc.pairs import OWN
from webrtc.watch import inbound

SECONDS, WINDOW = 80, 5
# Small and slow: all run at the same time, on machines with two cores.
VIDEO = {"width": 160, "height": 96, "fps": 5, "bitrate": 100_000}
# A fifth of a window's 25 frames and 250 packets of audio: checks that media flows; other cases measure its quality.
LEAST_FRAMES, LEAST_AUDIO = 5, 50

# (publisher, subscriber): a kind that sends no STUN requests is opposite one that does, so that each failure names its side.
# Kinds that play a file come last.
FLOWS = [("chromium", "webrtcbin"), ("firefox", "libwebrtc"), ("aiortc", "pion"), ("libwebrtc", "aiortc"), ("webrtcbin", "firefox"),
         ("whip-client", "chromium"), ("pion", "aiortc"), ("ffmpeg", "gst"), ("gst", "ffmpeg")]


def missing(kind):
    """Returns what this machine lacks for a kind of client, or None."""
    needs = {"chromium": (chromium.found, "chromium"), "firefox": (firefox.found, "firefox"),
             "whip-client": (whip_client.found, "whip-client (simple-whip-client) and gcc")}
    if kind == "libwebrtc":
        return None if importlib.util.find_spec("wrtc") else "the Python package wrtc"
    if kind in needs:
        found, what = needs[kind]
        return None if found() else what
    return native.missing(kind)


def page(bench, kind, shared):
    """Returns a client that answers calls: aiortc and libwebrtc have one process for all their peers, a browser has pages."""
    if kind in ("chromium", "firefox"):
        return bench.client(kind)
    if kind not in shared:
        shared[kind] = bench.client(kind)
    return shared[kind]


def publish(bench, relay, kind, session, file, shared):
    """Starts a WebRTC publisher, which is stopped when the case ends."""
    if kind == "whip-client":
        bench.keep(whip_client.publish(relay.whip(session), file, bench.current))
    elif kind in ("pion", "webrtcbin"):
        native.start(kind, "publish", relay.whip(session), bench, file)
    else:
        client = page(bench, kind, shared)
        client.call("connected", id=client.call("publish", url=relay.whip(session), source=OWN, **VIDEO))


class PageSubscriber:
    """A browser, aiortc or libwebrtc."""

    def __init__(self, bench, relay, kind, session, shared):
        self.client, self.video = page(bench, kind, shared), 0
        self.call = self.client.call("view", url=relay.whep(session))
        self.client.call("connected", id=self.call)

    def counts(self):
        """Returns the frames decoded and packets of audio received so far."""
        if self.client.kind in ("chromium", "firefox"):
            return (inbound(self.client, self.call, "video").get("framesDecoded", 0),
                    inbound(self.client, self.call, "audio").get("packetsReceived", 0))
        self.video += len(self.client.call("frames", id=self.call))
        return self.video, self.client.call("samples", id=self.call) // 960

    def delete(self):
        return self.client.call("close", id=self.call)


class NativeSubscriber:
    def __init__(self, bench, relay, kind, session, _):
        self.client = native.start(kind, "subscribe", relay.whep(session), bench)

    def counts(self):
        last = self.client.last
        return last["video"], last["audio"]

    def delete(self):
        return self.client.delete()


class PlainSubscriber:
    def __init__(self, bench, relay, kind, session):
        self.relay, self.route = relay, relay.open("subscribe", session, stream="cam1")
        self.receiver = bench.keep(clients.RECEIVERS[kind](self.route, bench.current, f"{kind}-subscribe"))

    def counts(self):
        """Returns the frames decoded, and the number of 20 ms blocks of decoded stereo audio."""
        written = self.receiver.audio.stat().st_size if self.receiver.audio.exists() else 0
        return len(self.receiver.decoded), written // 3840

    def delete(self):
        try:
            self.relay.close(self.route)
            return 204
        except RelayError as error:
            return error.status


class Flow:
    """A publisher and its subscriber in a separate session."""

    def __init__(self, bench, relay, publisher, subscriber, file, shared):
        self.publisher, self.kind, self.session = publisher, subscriber, f"{publisher}-{subscriber}"
        if publisher in clients.PUBLISHERS:
            route = relay.open("publish", self.session, stream="cam1")
            # The subscriber's ports are open before the first key frame is sent.
            self.subscriber = PlainSubscriber(bench, relay, subscriber, self.session)
            bench.keep(clients.PUBLISHERS[publisher](route, file.path, bench.current / f"{publisher}-publish.log"))
        else:
            publish(bench, relay, publisher, self.session, file, shared)
            clients.wait_until(lambda: relay.has_stream(self.session), 20, f"the stream of {publisher}")
            make = NativeSubscriber if subscriber in ("pion", "webrtcbin") else PageSubscriber
            self.subscriber = make(bench, relay, subscriber, self.session, shared)
        self.counts = []
        clients.wait_until(lambda: self.subscriber.counts()[0] > 0, 15, f"the first frame from {publisher} to {subscriber}")
        bench.reporter.progress(f"{publisher} to {subscriber} runs")

    def sample(self):
        try:
            self.counts.append(self.subscriber.counts())
        except (BrowserError, OSError):  # a client that does not answer has received nothing, and does not prevent queries of the others
            self.counts.append(self.counts[-1] if self.counts else (0, 0))

    def judge(self, bench, case, relay):
        rises = [(after[0] - before[0], after[1] - before[1]) for before, after in zip(self.counts, self.counts[1:])]
        silent = [number for number, (video, audio) in enumerate(rises) if video < LEAST_FRAMES or audio < LEAST_AUDIO]
        values = {"stopped_after": f"{silent[0] * WINDOW} s"} if silent else {}
        bench.reporter.check(f"{case}, {self.publisher} to {self.kind}", f"video and audio in each {WINDOW} s", not silent,
                             least_frames=min(video for video, _ in rises), least_audio=min(audio for _, audio in rises), **values)
        publishes = relay.has_stream(self.session)
        bench.reporter.check(f"{case}, {self.publisher} publishes", "the relay has not closed its connection", publishes)
        status = self.subscriber.delete()
        if publishes:  # the session ends with its only stream, and the subscriber's connection with the session
            bench.reporter.check(f"{case}, {self.kind} subscribes", "the relay has not closed its connection", status in (200, 204),
                                 status=status)


def processor_seconds():
    """Returns {program: CPU seconds of its processes in this process namespace}, including the relay."""
    seconds = collections.Counter()
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = stat.read_text().partition("(")[2].rpartition(")")
        except OSError:
            continue
        fields = rest.split()
        seconds[name] += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return seconds


def every_client(bench, name):
    # libnice accepts no loopback address: the relay has one of another namespace.
    bench.need_network()
    relay, flows, shared = bench.relay(apart=True), [], {}
    # The files outlast the run by the time that all clients take to start.
    file = whip_client.File(bench.work / "sources", OWN, SECONDS + 70, VIDEO["width"], VIDEO["height"], VIDEO["fps"], "100k")
    for publisher, subscriber in FLOWS:
        lacking = missing(publisher) or missing(subscriber)
        if lacking:
            bench.reporter.skip(f"{name}, {publisher} to {subscriber}", f"needs {lacking}")
            continue
        if "pion" in (publisher, subscriber):
            # Built before the files begin to play.
            native.pion(bench.work / "pion")
    for publisher, subscriber in FLOWS:
        if missing(publisher) or missing(subscriber):
            continue
        try:
            flows.append(Flow(bench, relay, publisher, subscriber, file, shared))
        except Exception as error:  # the others run nevertheless
            bench.reporter.check(f"{name}, {publisher} to {subscriber}", f"starts: {type(error).__name__}: {error}", False)
    began, used = time.monotonic(), processor_seconds()
    for number in range(SECONDS // WINDOW + 1):
        time.sleep(max(0, began + number * WINDOW - time.monotonic()))
        for flow in flows:
            flow.sample()
    took = time.monotonic() - began
    used = processor_seconds() - used
    most = ", ".join(f"{program} {seconds / took:.2f}" for program, seconds in used.most_common(8))
    bench.reporter.progress(f"{name}: {2 * len(flows)} clients and the relay used {used.total() / took:.2f} cores for {took:.0f} s: {most}")
    for flow in flows:
        flow.judge(bench, name, relay)


ALL = [("every client for 80 s", every_client)]
