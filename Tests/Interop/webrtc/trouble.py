"""Cases of bad networks: loss, little bandwidth, no UDP, IPv6, addresses that change."""

import time

from webrtc.network import RELAY_6
from webrtc.pairs import OWN, encoded, join, start
from webrtc.path import Path
from webrtc.watch import Watch, check_frames, check_audio, first_frame, inbound


def selected(client, call):
    """Returns the pair of candidates that a browser uses: (local, remote) statistics."""
    stats = {s["id"]: s for s in client.call("stats", id=call)}
    chosen = [stats.get(s.get("selectedCandidatePairId")) for s in stats.values() if s["type"] == "transport"]
    chosen += [s for s in stats.values() if s["type"] == "candidate-pair" and s.get("selected")]
    chosen += [s for s in stats.values() if s["type"] == "candidate-pair" and s.get("nominated") and s.get("state") == "succeeded"]
    pair = next(filter(None, chosen))
    return stats[pair["localCandidateId"]], stats[pair["remoteCandidateId"]]


def settled(bench, case, subscriber, view, seconds=2.0):
    """Waits until video runs."""
    if first_frame(subscriber, view) is None:
        bench.reporter.check(case, "receives a frame", False, state=subscriber.call("state", id=view)["states"])
        return False
    time.sleep(seconds)
    return True


# MARK: loss

def loss(direction, percent, rate, gap, settle=4.0, codec="VP8", **publishing):
    """Chromium to Chromium, with loss of the publisher's datagrams to the relay, or of the relay's to the subscriber."""
    def case(bench, name):
        bench.need_network(filters=True)
        relay = bench.relay(apart=True)
        publisher, call = start(bench, relay, "chromium", "loss", codec=codec, **publishing)
        subscriber, view = join(bench, relay, "chromium", "loss", codec=codec)
        if not settled(bench, name, subscriber, view):
            return
        port = selected(*((publisher, call) if direction == "up" else (subscriber, view)))[0]["port"]
        bench.network.lose(**{direction: percent}, client_ports=[port])
        time.sleep(settle)
        before, sent = inbound(subscriber, view, "video"), encoded(publisher, call)
        watch = Watch(subscriber, view)
        time.sleep(30 if bench.long else bench.seconds * 1.5)
        watch.end()
        after, sent = inbound(subscriber, view, "video"), encoded(publisher, call) - sent
        came, lost = bench.network.lost()[direction]
        bench.reporter.check(name, "the datagrams got lost", percent == 0 or 0.6 * percent < 100 * lost / max(came, 1) < 1.6 * percent,
                             came=came, lost=lost)
        # A machine that cannot encode 30 frames a second cannot show them either.
        check_frames(bench, name, watch, OWN, rate=min(rate, rate / 30 * sent / watch.seconds), gap=gap)
        if direction == "down":
            decoded = after.get("framesDecoded", 0) - before.get("framesDecoded", 0)
            bench.reporter.check(name, "29 of 30 encoded frames are decoded", decoded >= 29 / 30 * sent - 2, decoded=decoded, encoded=sent)
        bench.reporter.progress(f"{name}: asked again {after.get('nackCount', 0) - before.get('nackCount', 0)} times, for keyframes "
                                f"{after.get('pliCount', 0) - before.get('pliCount', 0)} times, "
                                f"heights {watch.seen.heights}")
        check_audio(bench, name, subscriber, view, least=0.9 if percent == 0 else 0.5)
    return case


# MARK: bandwidth

NARROW = 500_000


def bandwidth(bench, name, **publishing):
    """The downlink of the subscriber becomes narrow and wide again. A lower layer is selected and left, audio is not affected."""
    publishing = publishing or {"simulcast": True}
    relay = bench.relay()
    publisher, call = start(bench, relay, "chromium", "narrow", width=960, height=540, **publishing)
    path = bench.keep(Path(relay))
    subscriber, view = join(bench, relay, "chromium", "narrow", rewrite=path.rewrite(), codec="any", layers="scalability" in publishing)
    if not settled(bench, name, subscriber, view, 1):
        return
    report = bench.reporter.check
    rows = []

    def height_is(condition, seconds):
        """Returns the seconds until frames have such a height."""
        began = time.time()
        while time.time() - began < seconds:
            rows.extend(subscriber.call("frames", id=view))
            if rows and condition(rows[-1][5]):
                return round(time.time() - began, 2)
            time.sleep(0.1)
        return None

    report(name, "the highest layer comes to a wide way", height_is(lambda h: h == 540, 20) is not None,
           height=rows[-1][5] if rows else None)
    time.sleep(2)
    rows.clear()
    subscriber.call("frames", id=view)
    audio = [inbound(subscriber, view, "audio")]
    began = time.time() * 1000
    path.rate["down"] = NARROW
    down = height_is(lambda h: h < 540, 10)
    time.sleep(max(0, 4 - (time.time() - began / 1000)))
    audio.append(inbound(subscriber, view, "audio"))
    time.sleep(max(0, (20 if bench.long else 10) - (time.time() - began / 1000)))
    rows.extend(subscriber.call("frames", id=view))
    narrow_heights = sorted({row[5] for row in rows[-60:]})
    path.rate["down"] = None
    up = height_is(lambda h: h == 540, 25)
    time.sleep(1)
    rows.extend(subscriber.call("frames", id=view))
    audio.append(inbound(subscriber, view, "audio"))
    report(name, "a lower layer within 2 s", down is not None and down <= 2.0, seconds=down, heights=narrow_heights)
    report(name, "the highest again within 10 s", up is not None and up <= 10, seconds=up)
    whole = Watch(subscriber, view, began)
    whole.end(rows)
    # The goal, checked in long runs, is a gap of a second at most; on a shared machine it is up to one and a half.
    check_frames(bench, name, whole, OWN, rate=15 if bench.long else 12, gap=1000 if bench.long else 2000)
    # At the drop itself a full queue drops any packet, including audio, until the sender has noticed.
    dropped, later = [(after.get("concealedSamples", 0) - before.get("concealedSamples", 0)) / 48 for before, after in zip(audio, audio[1:])]
    report(name, "audio is concealed for half a second at most at the drop", dropped <= 500, milliseconds=round(dropped))
    report(name, "and then untouched", later <= 60, milliseconds=round(later))
    check_audio(bench, name, subscriber, view)


# MARK: addresses

def address_change(kind):
    """The publisher's address changes, then the subscriber's, as when a NAT forgets. The connections stay."""
    def case(bench, name):
        relay = bench.relay()
        ways = [bench.keep(Path(relay)) for _ in range(2)]
        publisher, call = start(bench, relay, kind, "moving", rewrite=ways[0].rewrite())
        subscriber, view = join(bench, relay, kind, "moving", rewrite=ways[1].rewrite())
        if not settled(bench, name, subscriber, view):
            return
        # Checks of consent are at most five seconds apart (RFC 7675 section 5.1, with its randomness six).
        for who, way in (("publisher", ways[0]), ("subscriber", ways[1])):
            watch = Watch(subscriber, view)
            way.move()
            time.sleep(7.5)
            watch.end()
            bench.reporter.check(name, f"the {who}'s new address is found", watch.gap() < 6500, milliseconds=round(watch.gap()))
            watch = Watch(subscriber, view)
            time.sleep(2.5)
            watch.end()
            check_frames(bench, f"{name}, {who}", watch, OWN, rate=27)
        check_audio(bench, name, subscriber, view)
        for who, client, number in (("publisher", publisher, call), ("subscriber", subscriber, view)):
            states = [s for _, s in client.call("state", id=number)["states"]]
            bench.reporter.check(name, f"the {who} never failed", "failed" not in states and states[-1] == "connected",
                                 states=states)
    return case


def without_udp(kind):
    """All datagrams are dropped: the media uses TCP."""
    def case(bench, name):
        bench.need_network(filters=True)
        relay = bench.relay(apart=True)
        bench.network.block_udp()
        publisher, call = start(bench, relay, kind, "tcp")
        subscriber, view = join(bench, relay, kind, "tcp")
        if not settled(bench, name, subscriber, view):
            return
        for who, client, number in (("publisher", publisher, call), ("subscriber", subscriber, view)):
            local, remote = selected(client, number)
            bench.reporter.check(name, f"the {who}'s way is TCP", local["protocol"] == "tcp" == remote["protocol"],
                                 local=local["protocol"], remote=f"{remote.get('address') or remote.get('ip')}:{remote['port']}")
        watch = Watch(subscriber, view)
        time.sleep(bench.seconds)
        watch.end()
        check_frames(bench, name, watch, OWN, rate=28)
        check_audio(bench, name, subscriber, view, mono=kind == "firefox")
    return case


def ipv6(publisher_kind, subscriber_kind):
    def case(bench, name):
        bench.need_network()
        relay = bench.relay(apart=True, address=RELAY_6)
        publisher, call = start(bench, relay, publisher_kind, "six")
        subscriber, view = join(bench, relay, subscriber_kind, "six")
        if not settled(bench, name, subscriber, view):
            return
        answer = subscriber.call("state", id=view)["answer"]
        candidates = [line.split()[4] for line in answer.splitlines() if line.startswith("a=candidate:")]
        bench.reporter.check(name, "all candidates are of IPv6", bool(candidates) and all(":" in c for c in candidates),
                             candidates=sorted(set(candidates)))
        watch = Watch(subscriber, view)
        time.sleep(min(4, bench.seconds))
        watch.end()
        check_frames(bench, name, watch, OWN)
        check_audio(bench, name, subscriber, view)
    return case


ALL = [
    ("datagrams of the publisher lost, 5 %", loss("up", 5, 28, 500)),
    ("datagrams to the subscriber lost, 10 %", loss("down", 10, 29, 300)),
    ("bandwidth drops and comes back", bandwidth),
    ("address change, Chromium", address_change("chromium")),
    ("no UDP, Chromium", without_udp("chromium")),
    ("IPv6", ipv6("aiortc", "chromium")),
]
LONG = [
    *[(f"datagrams of the publisher lost, {p} %", loss("up", p, rate, gap))
      for p, rate, gap in ((0, 29, 200), (2, 28.5, 400), (10, 25, 1000))],
    *[(f"datagrams to the subscriber lost, {p} %", loss("down", p, 29, gap)) for p, gap in ((0, 200), (2, 300), (5, 300))],
    ("address change, aiortc", address_change("aiortc")),
    ("no UDP, Firefox", without_udp("firefox")),
]
