"""Case of a session whose subscribers are on several workers of the relay."""

import json
import time

from webrtc import pairs
from webrtc.watch import Watch, first_frame

WORKERS = 3
# The subscribers of every session are spread, whatever the load.
SPREAD = ["--media-workers", str(WORKERS), "--media-spread-above-percent", "0"]


def spread(bench, name):
    """Three subscribers, one on each worker, see and hear one publisher. A mute is in force for all of them, and they leave nothing behind."""
    relay, report = bench.relay(extra=SPREAD), bench.reporter.check
    pairs.decoy(bench, relay)
    publisher, call = pairs.start(bench, relay, "chromium", "spread", width=480, height=270)
    subscribers = [pairs.join(bench, relay, kind, "spread") for kind in ("chromium", "firefox", "chromium")]
    for subscriber, view in subscribers:
        first_frame(subscriber, view)
    # The id of a transport, the last part of its URL, begins with the worker's number.
    workers = sorted(subscriber.call("state", id=view)["location"].rsplit("/", 1)[1][:2] for subscriber, view in subscribers)
    report(name, "each subscriber is on another worker", workers == [f"{number:02x}" for number in range(WORKERS)], workers=workers)
    pairs.watch_all(bench, name, publisher, call, subscribers, bench.seconds / 2, rate=27)
    listed = json.loads(relay.request("GET", "/v1/sessions/spread/streams")[0])
    report(name, "the relay counts all subscribers of the stream", '"subscribers":3' in json.dumps(listed, separators=(",", ":")))

    relay.request("PUT", "/v1/sessions/spread/streams/cam1/mute", {"kind": "video", "muted": True})
    # Frames that were sent before are still decoded and shown.
    time.sleep(0.5)
    watches = [Watch(*pair) for pair in subscribers]
    time.sleep(2)
    frames = [watch.end().distinct for watch in watches]
    report(name, "after the answer to a mute no subscriber gets a frame", not any(frames), frames=frames)
    relay.request("PUT", "/v1/sessions/spread/streams/cam1/mute", {"kind": "video", "muted": False})
    time.sleep(1)
    watches = [Watch(*pair) for pair in subscribers]
    time.sleep(2)
    frames = [watch.end().distinct for watch in watches]
    report(name, "afterwards all get frames again", all(count > 20 for count in frames), frames=frames)

    for subscriber, view in subscribers:
        pairs.check_deleted(bench, name, subscriber, view)
    pairs.check_deleted(bench, name, publisher, call)
    report(name, "no packet was lost between workers", relay.metrics().get("millrace_link_packets_dropped_total") == 0)


ALL = [("subscribers on three workers", spread)]
