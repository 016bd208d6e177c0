"""Cases of the Swift SDK (`millrace-sdk-client`) in every video codec: to and from Chromium, and to aiortc."""

import json
import time
import urllib.parse
import urllib.request

import clients
from webrtc.codecs import FREEZE, HEIGHT, IN_FLIGHT, LEAST_RATE, NAMES, RATE, VIDEO, WIDTH, codec_of
from webrtc.native import Native
from webrtc.pairs import OWN, check_deleted, encoded, start
from webrtc.watch import Watch, check_frames, check_audio, first_frame

# Seconds of each codec in cases of all codecs.
SHORT = 2.5


class SDK(Native):
    """A running client with the functions of a browser's page that the checks use."""

    kind = "sdk"

    def __init__(self, bench, relay, role, session, **options):
        query = urllib.parse.urlencode({"session": session, "name": f"sdk-{role}", "role": "host"})
        with urllib.request.urlopen(f"{relay.url}/v1/dev/token?{query}", timeout=10) as answer:
            token = json.loads(answer.read())["token"]
        switches = [text for name, value in options.items() for text in ([f"--{name}"] if value is True else [f"--{name}", str(value)])]
        super().__init__([bench.binary.parent / "millrace-sdk-client", role, "--url", relay.url, "--token", token, *switches],
                         bench.current / f"sdk-{role}-{session}.log")
        self._read = 0

    def latest(self, field, default=None):
        return next((line[field] for line in reversed(self.lines) if field in line), default)

    def call(self, function, **_):
        if function == "frames":
            rows = [line["frame"] for line in self.lines if "frame" in line]
            new, self._read = rows[self._read:], len(rows)
            return new
        if function == "first":
            return next((line["frame"][0] for line in self.lines if "frame" in line), None)
        if function == "heard":
            return next((line for line in reversed(self.lines) if "left" in line), None)
        if function == "state":
            return {"states": [line for line in self.lines if "frame" not in line][-8:]}
        return {"stats": []}.get(function)


def need(bench):
    bench.need((bench.binary.parent / "millrace-sdk-client").exists(), "millrace-sdk-client (swift build --product millrace-sdk-client)")


def settled(sdk):
    """Returns the frames that the SDK's encoder has left out so far."""
    line = next((line for line in reversed(sdk.lines) if "painted" in line), {"painted": 0, "encoded": 0})
    return line["painted"] - line["encoded"]


def view(relay, subscriber, session):
    """Subscribes to the newest stream of the session."""
    call = subscriber.call("view", url=f"{relay.url}/whep/{session}", **({} if subscriber.kind == "aiortc" else {"codec": "any"}))
    subscriber.call("connected", id=call)
    return subscriber, call


def publish(bench, name, relay, codec, subscribers, seconds):
    """The SDK publishes; clients see every frame number that it encoded."""
    check, session = bench.reporter.check, f"sdk{codec.lower()}"
    sdk = bench.keep(SDK(bench, relay, "publish", session, codec=codec, width=WIDTH, height=HEIGHT, rate=RATE, bitrate=VIDEO["bitrate"], source=OWN))
    clients.wait_until(lambda: sdk.latest("encoded", 0) > 0, 15, "the SDK's stream")
    views = [view(relay, client, session) for client in subscribers]
    for subscriber, call in views:
        if first_frame(subscriber, call) is None:
            check(name, f"{subscriber.kind} receives a frame", False, state=subscriber.call("state", id=call)["states"], sdk=sdk.process.tail())
            return
    time.sleep(1.5)
    before = settled(sdk)
    watches = [Watch(*pair) for pair in views]
    time.sleep(seconds)
    for watch in watches:
        watch.end()
    left_out = max(0, settled(sdk) - before) + IN_FLIGHT
    for watch in watches:
        title = f"{name}, {watch.client.kind}"
        check_frames(bench, title, watch, OWN, rate=LEAST_RATE * RATE, gap=FREEZE)
        check_audio(bench, title, watch.client, watch.call)
        check(title, "every frame number that was encoded is seen", watch.seen.missing <= left_out, missing=watch.seen.missing, of=watch.seen.distinct,
              left_out=left_out)
        if watch.client.kind != "aiortc":
            used = codec_of(watch.client, watch.call, "inbound")
            check(title, "in its codec", used == f"video/{codec}", codec=used)
    check(name, "the SDK's session names the codec", sdk.latest("codec") == codec, codec=sdk.latest("codec"))
    check(name, "a late joiner sees it", first_frame(*view(relay, subscribers[0], session)) is not None)
    sdk.stop()


def subscribe(bench, name, relay, codec, publisher, seconds):
    """A browser publishes; the SDK decodes every frame number that was encoded."""
    check, session = bench.reporter.check, f"sdk{codec.lower()}"
    _, call = start(bench, relay, publisher.kind, session, publisher, codec=codec, **VIDEO)
    sdk = bench.keep(SDK(bench, relay, "subscribe", session))
    if first_frame(sdk, None, 15) is None:
        check(name, "the SDK receives a frame", False, sdk=sdk.process.tail())
        return
    time.sleep(1.5)
    before = publisher.call("painted", id=call) - encoded(publisher, call)
    watch = Watch(sdk, None)
    time.sleep(seconds)
    watch.end()
    left_out = max(0, publisher.call("painted", id=call) - encoded(publisher, call) - before) + IN_FLIGHT
    check_frames(bench, name, watch, OWN, rate=LEAST_RATE * RATE, gap=FREEZE)
    check_audio(bench, name, sdk, None)
    check(name, "every frame number that was encoded is decoded", watch.seen.missing <= left_out, missing=watch.seen.missing,
          of=watch.seen.distinct, left_out=left_out)
    used = codec_of(publisher, call, "outbound")
    check(name, "in its codec", used == f"video/{codec}" and sdk.latest("codec") == codec, codec=used, told=sdk.latest("codec"))
    sdk.stop()
    check_deleted(bench, name, publisher, call)


def publishes(codec, subscribers):
    def case(bench, name):
        need(bench)
        publish(bench, name, bench.relay(extra=("--dev",)), codec, [bench.client(kind) for kind in subscribers], bench.seconds)
    return case


def subscribes(codec):
    def case(bench, name):
        need(bench)
        subscribe(bench, name, bench.relay(extra=("--dev",)), codec, bench.client("chromium"), bench.seconds)
    return case


def to_chromium(bench, name):
    """The SDK publishes each codec for a short time, one after the other so that only one encoder runs."""
    need(bench)
    relay, chromium = bench.relay(extra=("--dev",)), bench.client("chromium")
    for codec in NAMES:
        publish(bench, f"{name}, {NAMES[codec]}", relay, codec, [chromium], SHORT)


def from_chromium(bench, name):
    """Chromium publishes each codec for a short time, one after the other so that only one encoder runs."""
    need(bench)
    relay, chromium = bench.relay(extra=("--dev",)), bench.client("chromium")
    for codec in NAMES:
        subscribe(bench, f"{name}, {NAMES[codec]}", relay, codec, chromium, SHORT)


ALL = [
    ("sdk: every codec to Chromium", to_chromium),
    ("sdk: every codec from Chromium", from_chromium),
]
# aiortc decodes neither VP9 nor AV1.
LONG = [
    ("sdk: VP8 to Chromium and aiortc", publishes("VP8", ("chromium", "aiortc"))),
    ("sdk: H.264 to Chromium and aiortc", publishes("H264", ("chromium", "aiortc"))),
    ("sdk: VP9 to Chromium", publishes("VP9", ("chromium",))),
    ("sdk: AV1 to Chromium", publishes("AV1", ("chromium",))),
    ("sdk: VP8 from Chromium", subscribes("VP8")),
    ("sdk: H.264 from Chromium", subscribes("H264")),
    ("sdk: VP9 from Chromium", subscribes("VP9")),
    ("sdk: AV1 from Chromium", subscribes("AV1")),
]
