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
from webrtc.watch import Seen, Watch, check_frames, first_frame, inbound

HERE = pathlib.Path(__file__).resolve().parent
# The painter and the reader of numbered frames of the test page, for the product's page.
NUMBERED = "".join((HERE / "page" / name).read_text() for name in ("bar.js", "publish.js", "view.js"))
# Sizes from which Chromium sends three encodings; a rate at which an encoder and its decoders keep up on two cores.
WIDTH, HEIGHT, RATE = 960, 540, 10
LOSS = 5
# Seconds of watching, and those in long runs.
SECONDS, LONG_SECONDS = 3, 6
# Seconds that a publisher rests for its subscribers to receive its last frame, and the number of attempts.
REST, ROWS = 2, 6
# Frames between the last of one encoding and the first of the next that a subscriber is given.
SWITCH = 3
# Part of the frames that Firefox shows of those that it decodes.
LEAST_SHOWN = 0.7


class Member:
    """A participant's page with numbered frames: the functions of a test page that the checks use."""

    # Whether `rest` has an effect.
    rests = True

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

    def rest(self, is_resting):
        """Pauses the painting of frames, or continues it."""
        self.evaluate(f"(() => {{ painter.isResting = {json.dumps(is_resting)}; return true; }})()")

    def painted(self):
        """Returns the number of painted frames, and {encoding: (height, encoded frames)}: an encoder may leave out frames of one encoding."""
        return self.evaluate("""(async () => [painter.number, Object.fromEntries([...(await millrace.publisher.connection.getStats()).values()]
            .filter(one => one.type === "outbound-rtp" && one.kind === "video" && one.framesEncoded > 0)
            .map(one => [one.ssrc, [one.frameHeight, one.framesEncoded]]))])()""")

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

    kind, name, rests = "sdk", "SDK", False

    def __init__(self, bench, server):
        self._start = lambda role, **options: bench.keep(SDK(bench, server, role, SESSION, secret=PASSPHRASE, **options))
        self.client = None

    def publish(self):
        self.client = self._start("publish", width=WIDTH * 2 // 3, height=HEIGHT * 2 // 3, rate=RATE, bitrate=900_000, source=OWN, simulcast=True)
        clients.wait_until(lambda: self.client.latest("encoded", 0) > 0, 15, "the SDK's stream")

    def unpublish(self):
        self.client.stop()

    def rest(self, _):
        """Has no effect: the program paints without a pause."""

    def painted(self):
        """Returns the number of painted frames, and of each encoding (None, painted frames without those left out of any): the SDK reports sums."""
        line = next(line for line in reversed(self.client.lines) if "painted" in line)
        encodings = round(line["encoded"] / max(1, line["painted"] - line["replaced"]))
        left_out = encodings * line["painted"] - line["encoded"]
        return line["painted"], {number: (None, line["painted"] - left_out) for number in range(encodings)}

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


class Reception:
    """Frame numbers that one subscriber has received since the publisher rested."""

    def __init__(self, subscriber):
        self.subscriber = subscriber
        self.last, self.rows, self.decoded = -1, [], 0

    def look(self):
        """Takes the frames that have come; returns the last number of them."""
        rows = self.subscriber.call("frames")
        self.rows += rows
        self.last = max([self.last, *(row[1] for row in rows)])
        return self.last

    def begin(self):
        self.look()
        self.watch, self.rows, self.before = Watch(self.subscriber, None), [], self.last
        self.decoded = decoded_by(self.subscriber)

    def end(self):
        """Takes the frames that have come until the publisher rests again, which begins a moment after the watch."""
        self.look()
        self.seen = Seen(self.rows)
        self.watch.seen = Seen([row for row in self.rows if row[0] <= self.watch.stop])
        self.decoded = decoded_by(self.subscriber) - self.decoded


def decoded_by(subscriber):
    """Returns the frames that a browser has decoded so far; 0 for the SDK."""
    return inbound(subscriber, None, "video").get("framesDecoded", 0) if isinstance(subscriber, Member) else 0


def rest(publisher, receptions):
    """Makes the publisher rest until each subscriber has its last frame; returns whether that was so.

    A receiver notices a lost packet by a later one, so packets at the end of a row of frames stay lost until the next row.
    """
    for _ in range(ROWS):
        publisher.rest(True)
        number, end = publisher.painted()[0], time.monotonic() + REST
        while time.monotonic() < end:
            time.sleep(0.1)
            if all([one.look() >= number - 1 for one in receptions]):
                # Counters of a browser are some tens of milliseconds old.
                time.sleep(0.5)
                return True
        publisher.rest(False)
        time.sleep(0.5)
    publisher.rest(True)
    return False


def watched(bench, name, publisher, receptions, seconds):
    """Watches the frames between two rests; returns the first of their numbers, the number after the last, and [(height, frames that the encoder
    left out)] of each encoding."""
    check = bench.reporter.check
    check(name, f"{publisher.name}: its last frame has come to all before the watch", rest(publisher, receptions), last=[one.last for one in receptions])
    for one in receptions:
        one.begin()
    # The SDK's program does not rest: a subscriber may have had some of the next frames before the watch.
    first, before = publisher.painted()
    judged = first if publisher.rests else max(first, *(one.before + 1 for one in receptions))
    publisher.rest(False)
    time.sleep(seconds)
    for one in receptions:
        one.watch.end([])
    last = publisher.painted()[0]
    check(name, f"{publisher.name}: its last frame has come to all after the watch", rest(publisher, receptions), last=[one.last for one in receptions])
    for one in receptions:
        one.end()
    end, after = publisher.painted()
    # A publisher that does not rest is encoding some frames at the time of either count.
    in_flight = 0 if publisher.rests else IN_FLIGHT
    left_out = [(height, in_flight + max(0, end - first - (encoded - before.get(encoding, (0, 0))[1]))) for encoding, (height, encoded) in after.items()]
    return judged, end if publisher.rests else last, left_out


def check_numbers(bench, name, publisher, reception, first, end, left_out):
    """Checks that every frame number of the watch has come, but for as many as the encoder left out."""
    check, subscriber, seen = bench.reporter.check, reception.subscriber, reception.seen
    missing = sorted(set(range(first, end)) - set(seen.numbers))
    # Two encodings may lack different frames.
    left_out = sum(count for height, count in left_out if height in seen.heights) or max(count for _, count in left_out)
    # A busy encoder's encodings are not in step: the key frame with which the next encoding begins may be some frames after the last of the former.
    heights = [row[5] for row in seen.rows]
    left_out += SWITCH * sum(a != b for a, b in zip(heights, heights[1:]))
    # Firefox encodes the last frame again while its source rests, which its counter of encoded frames includes.
    left_out += len(seen.numbers) - seen.distinct
    facts = {"missing": missing[:20], "of": end - first, "left_out": left_out, "heights": seen.heights}
    if subscriber.kind != "firefox":
        check(name, "every frame number that was sent has come", len(missing) <= left_out, **facts)
        return
    # Firefox has no MediaStreamTrackProcessor in windows: the test reads the frames that are shown, and of frames that retransmission completes at
    # the same time the last is shown. All of them are decoded, which its counter tells.
    decoded = end - first if publisher.rests else reception.last - reception.before - IN_FLIGHT
    check(name, "every frame that was sent is decoded", reception.decoded >= decoded - left_out, decoded=reception.decoded, **facts)
    check(name, f"{LEAST_SHOWN:.0%} of the frame numbers are shown", len(missing) <= left_out + (1 - LEAST_SHOWN) * (end - first), **facts)


def round_of(bench, name, server, publisher, subscribers, loses):
    """One participant publishes; the others see every frame number that it sent. `loses`: all encodings are sent, and packets are lost."""
    check = bench.reporter.check
    publisher.publish()
    for subscriber in subscribers:
        title = f"{publisher.name} to {subscriber.name}"
        if not subscriber.receives() or first_frame(subscriber, None, 15) is None:
            check(name, f"{title}: a frame is received", False)
            return
    if loses:
        # A browser begins with the smallest encodings and adds the others when its estimate of the bandwidth allows it.
        encodings, end = 0, time.monotonic() + 20
        while (encodings := len(publisher.painted()[1])) < 3 and time.monotonic() < end:
            time.sleep(0.5)
        check(name, f"{publisher.name}: three encodings are sent", encodings == 3, encodings=encodings)
        bench.network.lose(up=LOSS, down=LOSS, relay_port=server.webrtc_port)
    time.sleep(2)
    receptions = [Reception(subscriber) for subscriber in subscribers]
    first, end, left_out = watched(bench, name, publisher, receptions, LONG_SECONDS if loses else SECONDS)
    if loses:
        for direction, (came, lost) in bench.network.lost().items():
            check(name, f"{publisher.name}: packets got lost, {direction}", 0.4 * LOSS < 100 * lost / max(came, 1) < 1.6 * LOSS, came=came, lost=lost)
        bench.network.lose(relay_port=server.webrtc_port)
    for reception in receptions:
        subscriber, watch = reception.subscriber, reception.watch
        title = f"{name}, {publisher.name} to {subscriber.name}"
        least = 0.8 * (LEAST_SHOWN if subscriber.kind == "firefox" else 1)
        check_frames(bench, title, watch, OWN, rate=least * (end - first - max(count for _, count in left_out)) / watch.seconds, gap=1500)
        check_numbers(bench, title, publisher, reception, first, end, left_out)
        # The test tone of Firefox is silent without a user's gesture.
        if publisher.kind != "firefox":
            check(title, "the audio is heard", subscriber.hears(publisher.name))
    for subscriber in subscribers:
        if isinstance(subscriber, SDKMember):
            subscriber.end_reception()
    publisher.unpublish()
    for subscriber in subscribers:
        if isinstance(subscriber, Member):
            subscriber.room.until(lambda: subscriber.evaluate("millrace.state.streams.size") == 0, 20)


def all_pairs(bench, name, loses=False):
    """Chromium, Firefox and the SDK publish several encodings in turn, to the others and to another one of their kind."""
    need(bench)
    bench.need(firefox.found(), "firefox")
    if loses:
        bench.need_network(filters=True)
    server = relay(bench)

    def join(kind, who, role="participant"):
        member = Member(bench, kind, server, who, role=role)
        bench.reporter.check(name, f"{who} is in", member.room.is_in(20), page=member.room.look("why"))
        return member

    chromium, fox, sdk = join("chromium", "Ada", role="host"), join("firefox", "Fox"), SDKMember(bench, server)
    for publisher, subscribers in ((chromium, (fox, sdk)), (fox, (chromium, sdk)), (sdk, (chromium, fox))):
        # Another one of the publisher's kind is there in its round only, because every page decodes every stream.
        twin = SDKMember(bench, server) if publisher is sdk else join(publisher.kind, f"{publisher.name} 2")
        round_of(bench, name, server, publisher, (*subscribers, twin), loses)
        if isinstance(twin, Member):
            twin.room.stop()


ALL = [
    ("encryption: Chromium, Firefox and the SDK", all_pairs),
]
LONG = [
    ("encryption: Chromium, Firefox and the SDK, 5 % loss", functools.partial(all_pairs, loses=True)),
]
