"""A relay pushes a live stream to a second relay over a path that is cut, or that begins at another address."""

import time

import clients
import media
from webrtc import layers
from webrtc.livepush import ALLOWED, check_record, is_live, publisher, record, start
from webrtc.network import RELAY
from webrtc.pairs import join

MOVED = "10.99.0.77"  # second address of the first relay's host


def ports():
    """Returns the local ports of all UDP sockets in this network namespace."""
    with open("/proc/net/udp") as table:
        return sorted({int(line.split()[1].rpartition(":")[2], 16) for line in list(table)[1:]})


def restarts(bench):
    """Returns how often the second relay has restarted ICE, and how many peer connections it ever had."""
    text = (bench.current / "second.log").read_text()
    return text.count("ICE restarted"), text.count("WebRTC transport opened")


def restored(bench, name, first, second, file, text):
    """Waits for an ICE restart, and checks the media after it."""
    began, before = time.monotonic(), restarts(bench)[0]
    clients.wait_until(lambda: restarts(bench)[0] > before or not is_live(first), 20, "the ICE restart")
    bench.reporter.check(name, f"ICE is restarted and the push goes on, {text}", is_live(first), seconds=round(time.monotonic() - began, 2))
    # The file's next key frame.
    time.sleep(1.5)
    path = bench.current / f"{text.replace(' ', '-')}.webm"
    record(second, path, 4)
    check_record(bench, name, file, path, text)


def cut(bench, name):
    bench.need_network(filters=True)
    first, file = publisher(bench)
    second = bench.relay(apart=True, name="second", extra=["--log-level", "info"])
    live = start(first, second.whip("pushed"))
    clients.wait_until(lambda: second.has_stream("pushed") and is_live(first), 15, "the pushed stream")
    # A firewall that has forgotten the connection: only another port gets through.
    bench.network.lose(up=100, client_ports=ports())
    restored(bench, name, first, second, file, "after the path was cut")
    came, lost = bench.network.lost()["up"]
    bench.reporter.check(name, "datagrams of the previous port got lost", lost > 100, lost=lost, came=came)
    bench.network.clear()

    media.run(["ip", "address", "add", f"{MOVED}/32", "dev", "mr0"])
    try:
        media.run(["ip", "route", "add", f"{RELAY}/32", "dev", "mr0", "src", MOVED])
        restored(bench, name, first, second, file, "from another address")
    finally:
        media.run(["ip", "address", "del", f"{MOVED}/32", "dev", "mr0"])
    restored(bench, name, first, second, file, "from the first address again")
    found = restarts(bench)
    bench.reporter.check(name, "all is one peer connection of the second relay", found == (3, 1), found=found)
    first.request("DELETE", f"/v1/admin/sessions/file/live/{live}")
    clients.wait_until(lambda: not second.has_stream("pushed"), 5, "the end of the pushed stream")
    bench.reporter.check(name, "its resource is deleted at the end", True)


def narrow(bench, name):
    """Chromium's simulcast: the encoding that fits the path to the second relay is pushed."""
    bench.need_network()
    first = bench.relay(extra=ALLOWED, name="first")
    second = bench.relay(apart=True, name="second")
    layers.publish(bench, first, "file")
    clients.wait_until(lambda: first.has_stream("file"), 10, "the publisher's stream")
    # The encoders begin with low rates.
    time.sleep(8)
    start(first, second.whip("pushed"))
    clients.wait_until(lambda: second.has_stream("pushed") and is_live(first), 15, "the pushed stream")
    subscriber, view = join(bench, second, "aiortc", "pushed")

    def await_heights(text, accepted, seconds):
        """Waits until all frames of a second have an accepted height."""
        began, heights = time.monotonic(), []
        while time.monotonic() < began + seconds:
            subscriber.call("frames", id=view)
            time.sleep(1)
            heights = [row[5] for row in subscriber.call("frames", id=view)]
            if len(heights) > 10 and all(map(accepted, heights)):
                break
        bench.reporter.check(name, text, len(heights) > 10 and all(map(accepted, heights)), heights=sorted(set(heights)), frames=len(heights),
                             seconds=round(time.monotonic() - began, 1))

    await_heights("the largest encoding is pushed", lambda height: height == layers.HEIGHT, 20)
    bench.need(bench.network.limit_up(400), "a token bucket of the kernel")
    await_heights("a smaller one over a path of 400 kb/s", lambda height: height < layers.HEIGHT, 20)
    bench.network.limit_up(None)
    await_heights("and the largest again when the path is wide", lambda height: height == layers.HEIGHT, 40)


ALL = [
    ("live push over a path that is cut", cut),
]
LONG = [
    ("live push of three encodings over a narrow path", narrow),
]
