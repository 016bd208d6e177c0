"""Cases of subscribers that choose among three sizes of one video: encodings of simulcast, or spatial layers of one encoding."""

import functools
import time

from webrtc.pairs import OWN, join, start
from webrtc.watch import Seen, Watch, check_frames, check_audio, first_frame, inbound

# Lowest first, in the order of page/publish.js. All even, because H.264 has no odd sizes.
WIDTH, HEIGHT = 960, 544
HEIGHTS = {"l": 136, "m": 272, "h": 544}
# Requests for a size.
ENCODINGS = {rid: {"encodingId": rid} for rid in HEIGHTS}
SPATIAL_LAYERS = {rid: {"spatial": number} for number, rid in enumerate(HEIGHTS)}
# Milliseconds: a switch, and a time without a new frame. Encoders of other codecs than VP8 need so much of a small machine that in runs
# that measure nothing most switches have to meet the first limit, and all of them, and every gap, have to meet BUSY.
SWITCH, GAP, BUSY = 250, 300, 800
# Frames of a lower spatial layer that may still come after a higher one was chosen: the relay requests a key frame at once, but an encoder that is
# late has frames in work.
BEHIND = 3
# Frames of each encoding after which the start of the encoders is over.
STARTED = 20


class Chooser:
    """A subscriber that chooses among the sizes; keeps all frames that it has received since `begin`."""

    def __init__(self, client, call, choices=ENCODINGS):
        self.client, self.call, self.choices, self.rows = client, call, choices, []
        self.is_layered = choices is SPATIAL_LAYERS

    def after(self, said, first=0):
        """Returns the frames that were painted after a choice had been answered, from number `first` on.

        They passed the relay after the choice, whatever time browsers took to encode and decode them.
        """
        return [row for row in self.rows[first:] if row[0] - max(0, row[2]) > said["at"]]

    def begin(self):
        self.client.call("frames", id=self.call)
        self.rows = []

    def read(self):
        rows = self.client.call("frames", id=self.call)
        self.rows += rows
        return rows

    def choose(self, rid, seconds=5):
        """Returns the ms until frames of that size arrive, or None, and the relay's answer."""
        said = self.client.call("layer", id=self.call, choice=self.choices[rid])
        if said["status"] not in (200, 204):
            return None, said
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for row in self.read():
                if row[0] >= said["at"] - 5 and row[5] == HEIGHTS[rid]:
                    return max(0, row[0] - said["at"]), said
            time.sleep(0.03)
        return None, said


def publish(bench, relay, session, codec="VP8", **options):
    return start(bench, relay, "chromium", session, simulcast=True, width=WIDTH, height=HEIGHT, codec=codec, **options)


def encodings_sent(publisher, call):
    """Returns the encoded frames of each RID."""
    return {stats.get("rid"): stats.get("framesEncoded", 0) for stats in publisher.call("stats", id=call)
            if stats["type"] == "outbound-rtp" and stats.get("kind") == "video"}


def simulcast(bench, name, codec="VP8", **publishing):
    """A subscriber changes between each two of the three encodings."""
    relay, report = bench.relay(), bench.reporter.check
    publisher, call = publish(bench, relay, "layers", codec, **publishing)
    subscriber, view = join(bench, relay, "chromium", "layers", codec=codec)
    if first_frame(subscriber, view) is None:
        report(name, "receives a frame", False)
        return
    # All three encodings need some time until the publisher's own estimate allows them.
    end = time.monotonic() + 20
    while time.monotonic() < end:
        sending = encodings_sent(publisher, call)
        if len(sending) == 3 and min(sending.values()) >= STARTED:
            break
        time.sleep(0.2)
    report(name, "three encodings are sent", len(sending) == 3 and min(sending.values()) > 0, **sending)
    time.sleep(1)
    check_switches(bench, name, Chooser(subscriber, view), bench.long or codec == "VP8")


def spatial_layers(bench, name, codec, **publishing):
    """A subscriber changes between each two of the three spatial layers of one encoding."""
    relay, report = bench.relay(), bench.reporter.check
    start(bench, relay, "chromium", "layers", width=WIDTH, height=HEIGHT, codec=codec, scalability="L3T3_KEY", layers=True,
          **publishing)
    subscriber, view = join(bench, relay, "chromium", "layers", codec="any", layers=True)
    chooser = Chooser(subscriber, view, SPATIAL_LAYERS)
    if first_frame(subscriber, view) is None:
        report(name, "receives a frame", False)
        return
    took, said = chooser.choose("h", 20)
    report(name, "three layers arrive", took is not None, status=said["status"], heights=Seen(chooser.rows[-60:]).heights)
    time.sleep(1)
    before = relay.metrics()
    check_switches(bench, name, chooser, bench.long, least=0.8)
    check_measured(bench, name, before, relay.metrics())


def check_measured(bench, name, before, after):
    """Checks the times from a choice to its first frame that the relay measures: the three lower layers come with the next frame."""
    family, soon = "millrace_layer_switch_seconds", 2 ** 19
    count, seconds, quick = (after.get(key, 0) - before.get(key, 0) for key in (
        f"{family}_count", f"{family}_sum", f'{family}_bucket{{le="{soon / 1e6}"}}'))
    bench.reporter.check(name, f"the relay measures the switches, those to lower layers within {soon // 1000} ms", count >= 6 and quick >= 3,
                         count=count, quick=quick, mean=round(1000 * seconds / max(1, count)))


def check_switches(bench, name, chooser, is_strict, least=1.0):
    """Changes between each two of three sizes. Each comes soon and stays, all frames decode, and there is no gap.

    Encodings are judged by the frames that arrive. Spatial layers are judged by those that were painted after the choice: not one of them is
    higher than the chosen one, and few are lower, however long browsers take for a frame.

    `least`: share of the frames that have the chosen size; the others are smaller, because an encoder of spatial layers may leave out upper ones.
    """
    report, took, behind = bench.reporter.check, [], []
    subscriber, view = chooser.client, chooser.call
    limit, longest = (SWITCH, GAP) if is_strict else (BUSY, BUSY)
    chooser.begin()
    before = inbound(subscriber, view, "video")
    for rid in ("l", "h", "m", "l", "m", "h"):
        chosen_at = len(chooser.rows)
        switched, said = chooser.choose(rid)
        if switched is None:
            report(name, f"layer {rid} comes", False, status=said["status"], said=said["text"], heights=Seen(chooser.rows[-60:]).heights)
            continue
        took.append(switched)
        stay, first = Watch(subscriber, view, time.time() * 1000), len(chooser.rows)
        time.sleep(1.2)
        chooser.read()
        stay.end(chooser.rows[first:])
        heights = [row[5] for row in chooser.rows[first:]]
        highest = max(heights, default=0)
        if chooser.is_layered:
            heights = [row[5] for row in chooser.after(said, chosen_at)]
            highest = max(heights, default=0)
            behind.append(next((at for at, height in enumerate(heights) if height == HEIGHTS[rid]), len(heights)))
            heights = heights[behind[-1]:]
        share = heights.count(HEIGHTS[rid]) / max(1, len(heights))
        report(name, f"layer {rid} stays, without a gap", share >= least and highest == HEIGHTS[rid] and stay.gap() < longest,
               highest=highest, share=round(share, 2), longest=round(stay.gap()))
    if chooser.is_layered:
        report(name, f"at most {BEHIND} frames before a switch", len(behind) == 6 and max(behind) <= BEHIND, frames=behind, milliseconds=took)
    else:
        report(name, f"a switch takes {limit} ms at most", len(took) == 6 and max(took) <= limit, milliseconds=took)
    if not is_strict and not chooser.is_layered:
        report(name, f"most take {SWITCH} ms at most", len(took) == 6 and sorted(took)[2] <= SWITCH)
    after, seen = inbound(subscriber, view, "video"), Seen(chooser.rows)
    report(name, f"no gap of {longest} ms at a switch", seen.longest_gap() < longest, longest=round(seen.longest_gap()))
    decoded, dropped, asked = (after.get(key, 0) - before.get(key, 0) for key in ("framesDecoded", "framesDropped", "pliCount"))
    # Chromium leaves out frames that are late on a busy machine.
    report(name, "every frame decodes", asked == 0 and dropped <= decoded / 30, decoded=decoded, dropped=dropped, key_frames_requested=asked)
    report(name, "no damaged frame, and only those of this publisher", seen.damaged == 0 and seen.sources == [OWN],
           damaged=seen.damaged, sources=seen.sources)
    stats = [s for s in subscriber.call("stats", id=view) if s["type"] == "inbound-rtp" and s.get("kind") == "video"]
    report(name, "one SSRC for all, nothing lost", len(stats) == 1 and stats[0].get("packetsLost", 1) <= 0,
           streams=len(stats), lost=stats[0].get("packetsLost") if stats else None)
    check_audio(bench, name, subscriber, view)


def two_subscribers(bench, name):
    """Two subscribers choose independently."""
    relay = bench.relay()
    publish(bench, relay, "two")
    subscribers = [join(bench, relay, "chromium", "two") for _ in range(2)]
    for subscriber, view in subscribers:
        first_frame(subscriber, view)
    time.sleep(5)
    for (subscriber, view), rid in zip(subscribers, ("l", "h")):
        Chooser(subscriber, view).choose(rid)
    time.sleep(0.5)
    watches = [Watch(*pair) for pair in subscribers]
    time.sleep(3)
    for watch, rid in zip(watches, ("l", "h")):
        watch.end()
        bench.reporter.check(name, f"the subscriber that chose {rid} receives it", watch.seen.heights == [HEIGHTS[rid]],
                             heights=watch.seen.heights)
        check_frames(bench, f"{name}, {rid}", watch, OWN, rate=28)


ALL = [
    ("simulcast, Chromium", simulcast),
    ("simulcast of H.264, Chromium", functools.partial(simulcast, codec="H264", fps=20)),
]
LONG = [
    ("simulcast, two subscribers", two_subscribers),
    # Three encoders of these codecs need two cores at 30 frames a second.
    ("simulcast of VP9, Chromium", functools.partial(simulcast, codec="VP9", scalability="L1T1", fps=15)),
    *[(f"codecs: layers of {codec}, chosen", functools.partial(spatial_layers, codec=codec, fps=15)) for codec in ("VP9", "AV1")],
    ("simulcast of AV1, Chromium", functools.partial(simulcast, codec="AV1", scalability="L1T1", fps=15)),
]
