"""Cases of simulcast: three encodings of one video, and subscribers that choose."""

import time

from webrtc.pairs import OWN, join, start
from webrtc.watch import Watch, check_pictures, check_sound, first_picture

# Lowest first, in the order of page/publish.js.
HEIGHTS = {"l": 135, "m": 270, "h": 540}


def choose(client, call, rid, seconds=5):
    """Returns the ms until frames of that layer arrive, or None, and the relay's answer."""
    said = client.call("layer", id=call, choice={"encodingId": rid})
    if said["status"] not in (200, 204):
        return None, said
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        rows = client.call("frames", id=call)
        for row in rows:
            if row[0] >= said["at"] - 5 and row[5] == HEIGHTS[rid]:
                return max(0, row[0] - said["at"]), said
        time.sleep(0.03)
    return None, said


def simulcast(bench, name, codec="VP8"):
    relay = bench.relay()
    publisher, call = start(bench, relay, "chromium", "layers", simulcast=True, width=960, height=540, codec=codec)
    viewer, view = join(bench, relay, "chromium", "layers", codec=codec)
    report = bench.reporter.check
    if first_picture(viewer, view) is None:
        report(name, "receives a frame", False)
        return
    # All three encodings need some time until the publisher's own estimate allows them.
    end = time.monotonic() + 20
    while time.monotonic() < end:
        sending = {s.get("rid"): s.get("framesEncoded", 0) for s in publisher.call("stats", id=call)
                   if s["type"] == "outbound-rtp" and s.get("kind") == "video"}
        if len(sending) == 3 and all(n > 0 for n in sending.values()):
            break
        time.sleep(0.2)
    report(name, "three encodings are sent", len(sending) == 3 and all(n > 0 for n in sending.values()), **sending)
    time.sleep(1)
    took = []
    watch = Watch(viewer, view)
    rows = []
    for rid in ("l", "h", "m", "l", "m", "h"):
        switched, said = choose(viewer, view, rid)
        if switched is None:
            report(name, f"layer {rid} comes", False, status=said["status"], said=said["text"])
            continue
        took.append(switched)
        stay = Watch(viewer, view)
        time.sleep(1.2)
        stay.end()
        rows += stay.seen.rows
        report(name, f"layer {rid} stays, without a gap", stay.seen.heights == [HEIGHTS[rid]] and stay.gap() < 300,
               heights=stay.seen.heights, longest=round(stay.gap()))
    report(name, "a switch takes 250 ms at most", len(took) == 6 and max(took) <= 250, milliseconds=took)
    watch.end(rows)
    report(name, "no damaged frame, and only those of this publisher", watch.seen.damaged == 0 and watch.seen.sources == [OWN],
           damaged=watch.seen.damaged, sources=watch.seen.sources)
    stats = [s for s in viewer.call("stats", id=view) if s["type"] == "inbound-rtp" and s.get("kind") == "video"]
    report(name, "one SSRC for all, nothing lost", len(stats) == 1 and stats[0].get("packetsLost", 1) <= 0,
           streams=len(stats), lost=stats[0].get("packetsLost") if stats else None)
    check_sound(bench, name, viewer, view)


def two_viewers(bench, name):
    """Two subscribers choose independently."""
    relay = bench.relay()
    publisher, call = start(bench, relay, "chromium", "two", simulcast=True, width=960, height=540)
    viewers = [join(bench, relay, "chromium", "two") for _ in range(2)]
    for viewer, view in viewers:
        first_picture(viewer, view)
    time.sleep(5)
    for (viewer, view), rid in zip(viewers, ("l", "h")):
        choose(viewer, view, rid)
    time.sleep(0.5)
    watches = [Watch(*pair) for pair in viewers]
    time.sleep(3)
    for watch, rid in zip(watches, ("l", "h")):
        watch.end()
        bench.reporter.check(name, f"the subscriber that chose {rid} receives it", watch.seen.heights == [HEIGHTS[rid]],
                             heights=watch.seen.heights)
        check_pictures(bench, f"{name}, {rid}", watch, OWN, rate=28)


ALL = [("simulcast, Chromium", simulcast)]
LONG = [("simulcast, two subscribers", two_viewers)]
