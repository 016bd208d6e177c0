"""Cases of video codecs other than VP8: browsers, encoders, late joiners, subscribers that lack a codec, recordings."""

import functools
import json
import pathlib
import time

import clients
from recorded import check_recorded, check_still
from webrtc import firefox, trouble, whip_client
from webrtc.devtools import BrowserError
from webrtc.pairs import OWN, check_deleted, check_joins, encoded, join, late_joiners, start, watch_all
from webrtc.room import ADMIN_TOKEN, Room, relay as page_relay
from webrtc.watch import Watch, check_frames, check_audio, first_frame

CODECS = ("H264", "VP9", "AV1")
NAMES = {"VP8": "VP8", "H264": "H.264", "VP9": "VP9", "AV1": "AV1"}
# Small and slow: an encoder and its decoders share two cores with browsers.
WIDTH, HEIGHT, RATE = 320, 180, 15
VIDEO = {"width": WIDTH, "height": HEIGHT, "fps": RATE, "bitrate": 300_000}
# 30 frames a second, with which such a machine keeps up if no other encoder runs.
FULL_RATE = {"width": 480, "height": 270, "bitrate": 800_000}
# Part of the frame rate, milliseconds of a freeze and of a join that such a machine keeps to; cases of the long run judge these with one
# encoder.
LEAST_RATE, FREEZE, JOIN = 0.75, 1000, 800
# Row of the bar with the frame number, in the words of ffmpeg's crop.
BAR = "iw:ih/15"
OBS = pathlib.Path(__file__).resolve().parents[2] / "Vectors/sdp/obs-publish.sdp"
# Frames that may be between two counters that are read one after the other.
IN_FLIGHT = 2
# Makes a page answer the relay's offers with VP8 alone.
ONLY_VP8 = """(answer => {
  RTCPeerConnection.prototype.createAnswer = function (...all) {
    const codecs = RTCRtpReceiver.getCapabilities("video").codecs.filter(codec => /\\/(VP8|rtx)$/i.test(codec.mimeType));
    for (const one of this.getTransceivers()) if (one.receiver.track.kind === "video") one.setCodecPreferences(codecs);
    return answer.apply(this, all);
  };
  return true;
})(RTCPeerConnection.prototype.createAnswer)"""
# Codecs of the video that the page receives.
RECEIVED = """(async () => {
  const stats = [...(await millrace.subscriber.connection.getStats()).values()], used = stats.filter(one => one.type === "inbound-rtp" && one.kind === "video");
  return [...new Set(used.filter(one => one.framesDecoded).map(one => stats.find(codec => codec.id === one.codecId)?.mimeType))].join();
})()"""


def codec_of(client, call, direction):
    """Returns the video codec that a browser sends ("outbound") or receives ("inbound")."""
    stats = {one["id"]: one for one in client.call("stats", id=call)}
    used = [one for one in stats.values() if one["type"] == f"{direction}-rtp" and one.get("kind") == "video"]
    return ", ".join(sorted({stats.get(one.get("codecId"), {}).get("mimeType", "none") for one in used}))


def frames_sent(client, call):
    """Returns the frames that a browser has sent, which on a busy machine are fewer than it has encoded."""
    return sum(one.get("framesSent", 0) for one in client.call("stats", id=call) if one["type"] == "outbound-rtp" and one.get("kind") == "video")


class Flow:
    """A publisher of one codec, and its subscribers, which are clients that other flows have used before."""

    def __init__(self, bench, relay, publisher, codec, subscribers):
        self.bench, self.codec, self.session = bench, codec, codec.lower()
        self.publisher, self.call = start(bench, relay, publisher.kind, self.session, publisher, codec=codec, **VIDEO)
        self.views = [join(bench, relay, client.kind, self.session, client, codec="any") for client in subscribers]
        self._frames = self._counts()

    def _counts(self):
        return self.publisher.call("painted", id=self.call), encoded(self.publisher, self.call)

    def not_sent(self):
        """Returns the frames that the browser's encoder has left out since the first subscriber joined."""
        (painted, sent), (painted_first, sent_first) = self._counts(), self._frames
        return max(0, painted - painted_first - (sent - sent_first)) + IN_FLIGHT

    def check(self, case):
        """Checks frames and audio of each subscriber."""
        report = self.bench.reporter.check
        watches = watch_all(self.bench, case, self.publisher, self.call, self.views, self.bench.seconds, rate=LEAST_RATE * RATE, gap=FREEZE) or []
        wanted = f"video/{self.codec}"
        used = [codec_of(self.publisher, self.call, "outbound"), *(codec_of(subscriber, view, "inbound") for subscriber, view in self.views)]
        report(case, "the codec is used by all", set(used) == {wanted}, codecs=used)
        for watch in watches:
            # Firefox reports presented frames, which are fewer than the decoded ones.
            if watch.client.kind != "firefox":
                not_sent = self.not_sent()
                report(case, f"{watch.client.kind} sees every frame number that was encoded", watch.seen.missing <= not_sent, missing=watch.seen.missing,
                       of=watch.seen.distinct, not_sent=not_sent)

    def end(self, case):
        """Ends the publisher; returns the frames that it has sent."""
        self.publisher.call("stopPainting", id=self.call)
        time.sleep(0.5)
        sent = frames_sent(self.publisher, self.call)
        check_deleted(self.bench, case, self.publisher, self.call)
        return sent


def browsers(publisher, subscribers, joins=0):
    """Publishes each codec that the browser has, one after the other so that only one encoder runs; late joiners; recordings."""
    def case(bench, name):
        report, recorded = bench.reporter.check, bench.current / "recorded"
        relay, source = bench.relay(extra=("--record", str(recorded))), bench.client(publisher)
        clients_by_codecs = [(client, client.call("codecs")) for client in map(bench.client, subscribers)]
        has, sent = source.call("codecs"), {}
        report(name, f"{publisher} sends VP9 and AV1", {"VP9", "AV1"} <= set(has), codecs=has)
        for codec in (codec for codec in CODECS if codec in has):
            title = f"{name}, {NAMES[codec]}"
            flow = Flow(bench, relay, source, codec, [client for client, codecs in clients_by_codecs if codec in codecs])
            flow.check(title)
            check_still(report, title, relay, flow.session, bench.current / f"still-{codec}.png")
            for subscriber, view in flow.views:
                check_deleted(bench, name, subscriber, view)
            if joins:
                check_joins(bench, title, relay, clients_by_codecs[0][0], flow.session, joins, JOIN, codec="any")
            sent[codec] = flow.end(title)
        time.sleep(0.5)
        relay.stop()
        for codec, frames in sent.items():
            check_recorded(report, f"{name}, {NAMES[codec]}", recorded, codec, frames, area=BAR)
    return case


# MARK: encoders

def file(bench, codec="VP8"):
    return whip_client.File(bench.work / "sources", OWN, 60, WIDTH, HEIGHT, RATE, "400k", codec)


def from_ffmpeg(bench, relay, session):
    route = relay.open("publish", session, stream="cam1", codec="H264")
    return bench.keep(clients.ffmpeg_publisher(route, file(bench, "H264").path, bench.current / "ffmpeg.log", codec="H264"))


def from_gstreamer(codec):
    def publish(bench, relay, session):
        return bench.keep(whip_client.publish(relay.whip(session), file(bench), bench.current, f"whip-client-{codec}", codec))
    return publish


def from_obs(bench, relay, session):
    """OBS's offer with H.264 and Opus of aiortc behind it."""
    return start(bench, relay, "aiortc", session, template=OBS.read_text(), codec="H264", bundle=True, **VIDEO)[0]


# Session: (publisher, codec, subscribers). aiortc decodes no VP9.
ENCODERS = {
    "ffmpeg-H264": (from_ffmpeg, "H264", ("chromium", "aiortc")),
    "GStreamer-H264": (from_gstreamer("H264"), "H264", ("chromium", "aiortc")),
    "GStreamer-VP9": (from_gstreamer("VP9"), "VP9", ("chromium",)),
    "OBS-H264": (from_obs, "H264", ("chromium", "aiortc")),
}


def encoders(*sessions):
    def case(bench, name):
        encode(bench, name, {session: ENCODERS[session] for session in sessions})
    return case


def encode(bench, name, sessions):
    """Publishes, checks and records some of `ENCODERS`, one after the other: H.264 of a file by plain SRTP, GStreamer's x264enc and vp9enc by WHIP, and
    OBS's offer."""
    if any(session.startswith("GStreamer") for session in sessions):
        bench.need(whip_client.found(), "whip-client (simple-whip-client) and gcc")
    # libnice accepts no loopback address: the relay has one of another namespace.
    recorded = bench.current / "recorded"
    relay = bench.relay(apart=True, extra=("--record", str(recorded)))
    subscribers = {kind: bench.client(kind) for kind in ("chromium", "aiortc")}
    # Files begin to play when all clients run.
    for codec in ("VP8", "H264") if set(sessions) != {"OBS-H264"} else ():
        file(bench, codec)
    for session, (publish, codec, kinds) in sessions.items():
        publisher = publish(bench, relay, session)
        clients.wait_until(lambda session=session: relay.has_stream(session), 10, f"the stream of {session}")
        views = [join(bench, relay, kind, session, subscribers[kind], codec=None if kind == "aiortc" else "any") for kind in kinds]
        for subscriber, view in views:
            if first_frame(subscriber, view) is None:
                bench.reporter.check(f"{name}, {session} to {subscriber.kind}", "receives a frame", False, state=subscriber.call("state", id=view)["states"])
        time.sleep(1.5)
        watches = [Watch(subscriber, view) for subscriber, view in views]
        time.sleep(bench.seconds)
        for watch in watches:
            watch.end()
        for watch in watches:
            case = f"{name}, {session} to {watch.client.kind}"
            check_frames(bench, case, watch, OWN, rate=LEAST_RATE * RATE, gap=FREEZE, every=True, stamped=session.startswith("OBS"))
            check_audio(bench, case, watch.client, watch.call)
            if watch.client.kind != "aiortc":
                used = codec_of(watch.client, watch.call, "inbound")
                bench.reporter.check(case, "in its codec", used == f"video/{codec}", codec=used)
            check_deleted(bench, case, watch.client, watch.call)
        publisher.stop()
    time.sleep(0.5)
    relay.stop()
    for session, (_, codec, _) in sessions.items():
        # The folder has the session's name, which the relay writes in lower case.
        check_recorded(bench.reporter.check, f"{name}, {session}", recorded / session.lower(), codec, area=BAR)


# MARK: a subscriber that lacks the codec

def mismatch(bench, name):
    """WHEP with an offer of VP8 alone for a stream in H.264 is answered with 409, and with an offer of audio alone with its audio."""
    report, relay = bench.reporter.check, bench.relay()
    start(bench, relay, "aiortc", "mismatch", codec="H264", **VIDEO)
    subscriber = bench.client("aiortc")
    try:
        subscriber.call("view", url=relay.whep("mismatch"), codec="VP8")
        said = "201"
    except BrowserError as error:
        said = str(error)
    report(name, "an offer without the codec is refused with both lists", all(text in said for text in ("409", "codecMismatch", "VP8", "H264")), answer=said)
    before = relay.metrics()["millrace_key_frame_requests_received_total"]
    call = subscriber.call("view", url=relay.whep("mismatch"), video=False)
    subscriber.call("connected", id=call)
    time.sleep(1.5)
    check_audio(bench, name, subscriber, call)
    after = relay.metrics()["millrace_key_frame_requests_received_total"]
    report(name, "and no key frame is requested", after == before, requests=after - before)
    other, view = join(bench, relay, "aiortc", "mismatch", codec="H264")
    report(name, "a subscriber with the codec receives the stream", first_frame(other, view) is not None)


# MARK: the page

def choose(room, codec):
    """Chooses the codec in the dialog of the devices, and publishes the test video."""
    room.look("press", "devices")
    select = "document.querySelector('dialog[open] select[name=codec]')"
    room.until(lambda: room.page.evaluate(f"!!{select}"))
    room.page.evaluate(f"(select => {{ if (select) select.value = {json.dumps(codec)}; }})({select})")
    offered = room.page.evaluate(f"[...{select}?.options ?? []].map(one => one.value)")
    room.look("answer", "yes")
    room.until(lambda: not room.look("dialog"))
    room.publish()
    return offered


def page(bench, name):
    """A codec that is chosen on the page reaches Chromium and Firefox; one that a browser lacks is named on the tile, and its audio arrives."""
    check = bench.reporter.check
    server = page_relay(bench)
    server.admin_token = ADMIN_TOKEN
    ada, bob = (Room(bench, "chromium", server.url, "codecs", who, role=role) for who, role in (("Ada", "host"), ("Bob", "participant")))
    eve = Room(bench, "chromium", server.url, "codecs", "Eve", role="participant")
    fox = Room(bench, "firefox", server.url, "codecs", "Fox", role="participant") if firefox.found() else None
    rooms = [room for room in (ada, bob, eve, fox) if room]
    for room in rooms:
        check(name, f"{room.name} is in", room.is_in(20), page=room.look("why"))
    eve.page.evaluate(ONLY_VP8)
    decodable = fox.page.evaluate("RTCRtpReceiver.getCapabilities('video').codecs.map(one => one.mimeType)") if fox else []
    for codec in (*CODECS, "VP8"):
        case = f"{name}, {NAMES[codec]}"
        offered = choose(ada, codec)
        check(case, "the codec can be chosen", codec in offered, offered=offered)
        check(case, "Bob sees it", bob.sees("Ada"), seen=bob.look("seen", "Ada"))
        used = bob.until(lambda: bob.page.evaluate(RECEIVED))
        check(case, "it is used", used == f"video/{codec}", codec=used)
        if fox and f"video/{codec}" in decodable:
            check(case, "Firefox sees it", fox.sees("Ada", 20), seen=fox.look("seen", "Ada"))
        check_lacking(bench, case, server, eve, codec)
        # The button is disabled until the page has published.
        check(case, "it can be stopped", ada.until(lambda: ada.look("press", "test-video")), page=ada.look("why"))
        for room in rooms:
            gone = room.until(lambda room=room: not (room.look("seen", "Ada") or {}).get("stream"), 15)
            check(case, f"it ends for {room.name}", gone, seen=room.look("seen", "Ada"))
    check(name, "the page's policy refused it nothing, and every control has a name", ada.look("violations") == [] and ada.page.unnamed() == [],
          refused=ada.look("violations"), without=ada.page.unnamed())


def check_lacking(bench, case, server, eve, codec):
    """The participant that decodes VP8 alone."""
    check = bench.reporter.check
    if codec == "VP8":
        return check(case, "the participant with VP8 alone sees it", eve.sees("Ada"), seen=eve.look("seen", "Ada"))
    note = f"This browser cannot play this video ({NAMES[codec]})"
    told = eve.until(lambda: (eve.look("seen", "Ada") or {}).get("note") == note)
    check(case, "the tile of a participant without the codec names it", told, seen=eve.look("seen", "Ada"))
    check(case, "the participant hears it", eve.hears("Ada"), level=round(eve.level("Ada"), 4))
    before = server.metrics()["millrace_key_frame_requests_received_total"]
    time.sleep(1.5)
    rise = server.metrics()["millrace_key_frame_requests_received_total"] - before
    return check(case, "key frame requests do not pile up", rise <= 1, requests=rise)


ALL = [
    ("codecs: Chromium to Chromium and Firefox", browsers("chromium", ("chromium", "firefox"), joins=3)),
    ("codecs: OBS to Chromium and aiortc", encoders("OBS-H264")),
    ("codecs: a subscriber without the codec", mismatch),
    ("page: codecs", page),
]
LONG = [
    ("codecs: Firefox to Chromium", browsers("firefox", ("chromium",))),
    ("codecs: encoders to Chromium and aiortc", encoders(*ENCODERS)),
    *[(f"codecs: late joiners, {NAMES[codec]}", late_joiners("chromium", "chromium", 9, {"codec": codec}, codec=codec, **FULL_RATE)) for codec in NAMES],
    *[(f"codecs: {NAMES[codec]}, 10 % to the subscriber lost", trouble.loss("down", 10, 29, 300, codec=codec, **FULL_RATE)) for codec in CODECS],
    *[(f"codecs: layers of {NAMES[codec]}, bandwidth", functools.partial(trouble.bandwidth, codec=codec, scalability="L3T3_KEY")) for codec in ("VP9", "AV1")],
]
