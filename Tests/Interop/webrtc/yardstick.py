"""The same measurements on the relay and on Janus, interleaved in one run, so that the conditions of the machine are the same for both."""

import time

from webrtc import janus
from webrtc.layers import HEIGHT, HEIGHTS, WIDTH
from webrtc.pairs import OWN
from webrtc.trouble import selected
from webrtc.watch import Watch, first_frame, inbound


class Own:
    """The relay under test, with the interface of `janus.Janus`."""

    def __init__(self, bench):
        self.relay = bench.relay(apart=True)

    def publish(self, page, **options):
        return page.call("publish", url=self.relay.whip("yardstick"), **options)

    def view(self, page):
        return page.call("view", url=self.relay.whep("yardstick"))

    def leave(self, page, call):
        page.call("close", id=call)

    def layer(self, page, call, rid):
        return page.call("layer", id=call, choice={"encodingId": rid})["at"]

    def stop(self):
        self.relay.stop()


def ways(bench):
    bench.need_network()
    bench.need(janus.found(), "janus")
    return (("relay", Own), ("Janus", janus.Janus))


def begin(bench, make, **options):
    way = bench.keep(make(bench))
    publisher, subscriber = bench.client("chromium"), bench.client("chromium")
    call = way.publish(publisher, source=OWN, **options)
    publisher.call("connected", id=call)
    view = way.view(subscriber)
    subscriber.call("connected", id=view)
    first_frame(subscriber, view)
    time.sleep(3)
    return way, publisher, subscriber, view


def end(way, *pages):
    for page in pages:
        page.stop()
    way.stop()


def latency(bench, name):
    figures = {}
    for _ in range(3 if bench.long else 2):
        for who, make in ways(bench):
            way, publisher, subscriber, view = begin(bench, make)
            watch = Watch(subscriber, view)
            time.sleep(15 if bench.long else 8)
            seen = watch.end()
            figures.setdefault(who, []).append((seen.latency(0.5), seen.latency(0.99), round(seen.rate(watch.seconds), 1)))
            end(way, publisher, subscriber)
    best = {who: min(f[0] for f in values) for who, values in figures.items()}
    # The clocks of two pages can be compared to one millisecond.
    bench.reporter.check(name, "p50 from Chromium to Chromium no worse than Janus", best["relay"] <= best["Janus"] + 1,
                         **{f"{who} (p50, p99, rate)": values for who, values in figures.items()})


def joiners(bench, name):
    figures = {}
    for who, make in ways(bench):
        way, publisher, subscriber, view = begin(bench, make)
        waits = []
        for _ in range(12 if bench.long else 6):
            call = way.view(subscriber)
            frame = first_frame(subscriber, call, 5)
            times = subscriber.call("connected", id=call)
            waits.append(round(frame - times["connected"]) if frame else 5000)
            way.leave(subscriber, call)
            time.sleep(0.37)
        figures[who] = sorted(waits)
        end(way, publisher, subscriber)
    middle = {who: waits[len(waits) // 2] for who, waits in figures.items()}
    # Half of a frame interval is chance.
    bench.reporter.check(name, "a late joiner's first frame no later than with Janus", middle["relay"] <= middle["Janus"] + 17,
                         **figures)


def loss(direction, percent):
    def case(bench, name):
        bench.need_network(filters=True)
        figures = {}
        for who, make in ways(bench):
            way = bench.keep(make(bench))
            publisher, subscriber = bench.client("chromium"), bench.client("chromium")
            call = way.publish(publisher, source=OWN)
            publisher.call("connected", id=call)
            view = way.view(subscriber)
            subscriber.call("connected", id=view)
            first_frame(subscriber, view)
            time.sleep(2)
            port = selected(*((publisher, call) if direction == "up" else (subscriber, view)))[0]["port"]
            bench.network.lose(**{direction: percent}, client_ports=[port])
            time.sleep(4)
            watch = Watch(subscriber, view)
            time.sleep(30 if bench.long else 12)
            seen = watch.end()
            stats = inbound(subscriber, view, "video")
            bench.reporter.progress(f"{name}, {who}: datagrams and lost ones {bench.network.lost()[direction]}, " + ", ".join(
                f"{key} {stats.get(key)}" for key in ("packetsReceived", "retransmittedPacketsReceived", "nackCount", "pliCount",
                                                      "framesDropped", "keyFramesDecoded", "freezeCount")))
            bench.network.clear()
            figures[who] = (round(seen.rate(watch.seconds), 2), round(watch.gap()), seen.latency(0.5), seen.damaged)
            end(way, publisher, subscriber)
        own, other = figures["relay"], figures["Janus"]
        bench.reporter.check(name, "frames arrive at no lower rate than with Janus", own[0] >= other[0] - 0.5,
                             **{f"{who} (rate, longest gap, p50, damaged)": f for who, f in figures.items()})
    return case


def switching(bench, name):
    figures = {}
    for who, make in ways(bench):
        way, publisher, subscriber, view = begin(bench, make, simulcast=True, width=WIDTH, height=HEIGHT)
        time.sleep(8)
        took = []
        for rid in ("l", "h", "m", "l", "m", "h"):
            subscriber.call("frames", id=view)
            asked, began = way.layer(subscriber, view, rid), time.monotonic()
            found = None
            while found is None and time.monotonic() - began < 5:
                found = next((row[0] for row in subscriber.call("frames", id=view) if row[0] >= asked and row[5] == HEIGHTS[rid]), None)
                time.sleep(0.02)
            took.append(round(found - asked) if found else 5000)
            time.sleep(1)
        figures[who] = sorted(took)
        end(way, publisher, subscriber)
    bench.reporter.check(name, "a switch takes 250 ms at most", figures["relay"][-1] <= 250, **figures)


ALL = [
    ("yardstick: latency", latency),
    ("yardstick: late joiners", joiners),
    ("yardstick: datagrams to the subscriber lost, 10 %", loss("down", 10)),
    ("yardstick: datagrams of the publisher lost, 5 %", loss("up", 5)),
    ("yardstick: simulcast", switching),
]
