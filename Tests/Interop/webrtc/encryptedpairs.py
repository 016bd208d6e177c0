"""Cases of end-to-end encryption between Chromium, Firefox and the SDK in both directions of each pair, without and with loss."""

import functools
import json
import pathlib
import time

import clients
from webrtc import firefox
from webrtc.codecs import IN_FLIGHT
from webrtc.encryption import PASSPHRASE, SESSION, enter
from webrtc.pairs import OWN
from webrtc.room import relay
from webrtc.sdk import SDK, need
from webrtc.watch import Watch, check_frames, first_frame, inbound

HERE = pathlib.Path(__file__).resolve().parent
# The painter and the reader of numbered frames of the test page, for the product's page.
NUMBERED = "".join((HERE / "page" / name).read_text() for name in ("bar.js", "publish.js", "view.js"))
# Sizes from which Chromium sends three encodings; a rate at which an encoder and its decoders keep up on two cores.
WIDTH, HEIGHT, RATE = 960, 540, 10
LOSS = 5
# Seconds of watching, and those in long runs.
SECONDS, LONG_SECONDS = 3, 6


class Member:
    """A participant's page with numbered frames: the functions of a test page that the checks use."""

    def __init__(self, bench, kind, server, name, role="participant"):
        self.kind, self.name = kind, name
        self.room = enter(bench, kind, server, name, PASSPHRASE, role=role)
        self.evaluate = self.room.page.evaluate
        self.evaluate(f"(() => {{ const api = {{}}; {NUMBERED} window.numbered = {{Painter, Watcher}}; return true; }})()")

    def publish(self):
        """Publishes numbered frames and a tone; returns the id of the stream."""
        options = json.dumps({"width": WIDTH, "height": HEIGHT, "fps": RATE, "source": OWN})
        return self.evaluate(f"""(async () => {{
            const {{testVideo}} = await import("/page/client/sources.js"), audio = testVideo("tone", {{width: 64, height: 36}}).getAudioTracks();
            window.painter = new numbered.Painter({options});
            window.publication = await millrace.publish({{name: "numbers", media: new MediaStream([painter.track, ...audio])}});
            return publication.id;
        }})()""")

    def unpublish(self):
        self.evaluate("(async () => { painter.stopped = true; await millrace.unpublish(publication); return true; })()")

    def painted(self):
        """Returns the number of painted frames, and the encoded ones of each encoding: an encoder may leave out frames of one of them."""
        return self.evaluate("""(async () => [painter.number, [...(await millrace.publisher.connection.getStats()).values()]
            .filter(one => one.type === "outbound-rtp" && one.kind === "video" && one.framesEncoded > 0).map(one => one.framesEncoded)])()""")

    def receives(self, timeout=15):
        """Reads the only stream of the session; returns whether it is received and announced as encrypted."""
        return self.room.until(lambda: self.evaluate("""(() => {
            const [stream] = millrace.state.streams.values(), track = stream && millrace.subscriber.media(stream.id)?.getVideoTracks()[0];
            if (!track || !stream.isEncrypted) return false;
            window.watcher = new numbered.Watcher(track);
            return true;
        })()"""), timeout)

    def hears(self, name):
        return self.room.hears(name)

    def call(self, function, **_):
        return self.evaluate({
            "frames": "window.watcher?.seen.splice(0) ?? []", "first": "window.watcher?.first ?? null",
            "stats": "(async () => [...(await millrace.subscriber.connection.getStats()).values()])()"}[function])


class SDKMember:
    """The SDK's program, which publishes or receives numbered frames."""

    kind, name = "sdk", "SDK"

    def __init__(self, bench, server):
        self._start = lambda role, **options: bench.keep(SDK(bench, server, role, SESSION, secret=PASSPHRASE, **options))
        self.client = None

    def publish(self):
        self.client = self._start("publish", width=WIDTH * 2 // 3, height=HEIGHT * 2 // 3, rate=RATE, bitrate=900_000, source=OWN, simulcast=True)
        clients.wait_until(lambda: self.client.latest("encoded", 0) > 0, 15, "the SDK's stream")

    def unpublish(self):
        self.client.stop()

    def painted(self):
        """Returns the number of painted frames, and the encoded ones of each encoding, of which the SDK reports the sum."""
        line = next(line for line in reversed(self.client.lines) if "painted" in line)
        encoded = line["painted"] - line["replaced"]
        return line["painted"], [encoded] * round(line["encoded"] / max(1, encoded))

    def receives(self):
        self.client = self._start("subscribe")
        return True

    def hears(self, _):
        try:
            clients.wait_until(lambda: (self.client.call("heard") or {"level": 0})["level"] > 0.005, 5, "audio")
            return True
        except Exception:
            return False

    def call(self, function, **_):
        return self.client.call(function)

    def end_reception(self):
        self.client.stop()


def decoded_by(viewer):
    """Returns the frames that a browser has decoded so far; 0 for the SDK."""
    return inbound(viewer, None, "video").get("framesDecoded", 0) if isinstance(viewer, Member) else 0


def round_of(bench, name, server, publisher, viewers, loses):
    """One participant publishes; the others see every frame number that it encoded. `loses`: all encodings are sent, and packets are lost."""
    check = bench.reporter.check
    publisher.publish()
    for viewer in viewers:
        title = f"{publisher.name} to {viewer.name}"
        if not viewer.receives() or first_frame(viewer, None, 15) is None:
            check(name, f"{title}: a frame is received", False)
            return
    if loses:
        # A browser begins with the smallest encodings and adds the others when its estimate of the bandwidth allows it.
        encodings, end = 0, time.monotonic() + 20
        while (encodings := len(publisher.painted()[1])) < 3 and time.monotonic() < end:
            time.sleep(0.5)
        check(name, f"{publisher.name}: three encodings are sent", encodings == 3, encodings=encodings)
        bench.network.lose(down=LOSS, relay_port=server.webrtc_port)
    time.sleep(2)
    painted, encoded = publisher.painted()
    watches = [Watch(viewer, None) for viewer in viewers]
    decoded = [decoded_by(viewer) for viewer in viewers]
    time.sleep(LONG_SECONDS if loses else SECONDS)
    for watch in watches:
        watch.end()
    decoded = [decoded_by(viewer) - first for viewer, first in zip(viewers, decoded)]
    after = publisher.painted()
    painted, sent = after[0] - painted, min((b - a for a, b in zip(encoded, after[1])), default=0)
    left_out = max(0, painted - sent) + IN_FLIGHT
    if loses:
        came, lost = bench.network.lost()["down"]
        bench.network.lose(relay_port=server.webrtc_port)
        check(name, f"{publisher.name}: packets to the subscribers got lost", 0.4 * LOSS < 100 * lost / max(came, 1) < 1.6 * LOSS, came=came, lost=lost)
    for watch, count in zip(watches, decoded):
        viewer = watch.client
        title = f"{name}, {publisher.name} to {viewer.name}"
        check_frames(bench, title, watch, OWN, rate=0.8 * sent / watch.seconds, gap=1500)
        # A busy Firefox does not show every frame that it has decoded.
        missing = sent - count if viewer.kind == "firefox" else watch.seen.missing
        check(title, "every frame that was encoded is decoded", missing <= left_out, missing=missing, of=watch.seen.distinct, painted=painted,
              encoded=sent, heights=watch.seen.heights)
        # The test tone of Firefox is silent without a user's gesture.
        if publisher.kind != "firefox":
            check(title, "the audio is heard", viewer.hears(publisher.name))
    for viewer in viewers:
        if isinstance(viewer, SDKMember):
            viewer.end_reception()
    publisher.unpublish()
    for viewer in viewers:
        if isinstance(viewer, Member):
            viewer.room.until(lambda: viewer.evaluate("millrace.state.streams.size") == 0, 20)


def all_pairs(bench, name, loses=False):
    """Chromium, Firefox and the SDK publish several encodings in turn, to the others."""
    need(bench)
    bench.need(firefox.found(), "firefox")
    if loses:
        bench.need_network(filters=True)
    server = relay(bench)
    chromium, fox = Member(bench, "chromium", server, "Ada", role="host"), Member(bench, "firefox", server, "Fox")
    sdk = SDKMember(bench, server)
    for member in (chromium, fox):
        bench.reporter.check(name, f"{member.name} is in", member.room.is_in(20), page=member.room.look("why"))
    for publisher, viewers in ((chromium, (fox, sdk)), (fox, (chromium, sdk)), (sdk, (chromium, fox))):
        round_of(bench, name, server, publisher, viewers, loses)


ALL = [
    ("encryption: Chromium, Firefox and the SDK", all_pairs),
]
LONG = [
    ("encryption: Chromium, Firefox and the SDK, 5 % loss", functools.partial(all_pairs, loses=True)),
]
