"""Cases of WHIP and WHEP: trickled candidates, ICE restart, a relay that is killed."""

import time
import urllib.error
import urllib.request

import clients
from webrtc.pairs import OWN, join, start
from webrtc.watch import Watch, check_frames, check_audio, first_frame


def trickle(kind):
    """Candidates are sent after the offer, by PATCH."""
    def case(bench, name):
        relay = bench.relay()
        publisher, call = start(bench, relay, kind, "trickle", trickle=True)
        subscriber, view = join(bench, relay, kind, "trickle", trickle=True)
        for who, client, number in (("publisher", publisher, call), ("subscriber", subscriber, view)):
            # The call knows their statuses when all are done; the connection may be established before.
            clients.wait_until(lambda: client.call("state", id=number).get("patched"), 5, "the candidates")
            state = client.call("state", id=number)
            bench.reporter.check(name, f"the {who}'s candidates are taken: 204 each", set(state["patched"]) == {204},
                                 statuses=state["patched"])
            bench.reporter.check(name, f"the {who}'s resource has an ETag", bool(state["etag"]), etag=state["etag"])
        if first_frame(subscriber, view) is None:
            bench.reporter.check(name, "receives a frame", False)
            return
        watch = Watch(subscriber, view)
        time.sleep(2.5)
        watch.end()
        check_frames(bench, name, watch, OWN, rate=24)
    return case


def restart(kind):
    """ICE restart by PATCH, of the publisher and of the subscriber, while video runs."""
    def case(bench, name):
        relay = bench.relay()
        publisher, call = start(bench, relay, kind, "restart")
        subscriber, view = join(bench, relay, kind, "restart")
        if first_frame(subscriber, view) is None:
            bench.reporter.check(name, "receives a frame", False)
            return
        time.sleep(1.5)
        for who, client, number in (("publisher", publisher, call), ("subscriber", subscriber, view)):
            watch = Watch(subscriber, view)
            tag = client.call("state", id=number)["etag"]
            said = client.call("restart", id=number)
            bench.reporter.check(name, f"the {who} and the relay have new credentials", said["localChanged"] and
                                 said["remoteChanged"] and said["etag"] != tag, **said)
            time.sleep(3.5)
            watch.end()
            check_frames(bench, f"{name}, {who}", watch, OWN, rate=27)
            states = [s for _, s in client.call("state", id=number)["states"]]
            bench.reporter.check(name, f"the {who} is connected", states[-1] == "connected" and "failed" not in states, states=states)
        # With only the old credentials, consent would end at about this time.
        watch = Watch(subscriber, view)
        time.sleep(32 if bench.long else 2)
        watch.end()
        check_frames(bench, f"{name}, later", watch, OWN, rate=28)
        check_audio(bench, name, subscriber, view, mono=kind == "firefox")
    return case


def killed(bench, name):
    """The relay is killed and starts again: clients notice, their old resources are unknown, new calls work next to the old ones."""
    relay = bench.relay()
    publisher, call = start(bench, relay, "chromium", "killed")
    subscriber, view = join(bench, relay, "chromium", "killed")
    if first_frame(subscriber, view) is None:
        bench.reporter.check(name, "receives a frame", False)
        return
    old = subscriber.call("state", id=view)["location"]
    time.sleep(1)
    relay.kill()
    again = bench.relay(port=relay.port, webrtc_port=relay.webrtc_port, name="relay-again")

    def noticed(client, number):
        return client.call("state", id=number)["connection"] in ("disconnected", "failed")

    began = time.monotonic()
    clients.wait_until(lambda: noticed(publisher, call) and noticed(subscriber, view), 20, "the clients' notice")
    bench.reporter.check(name, "both clients notice", True, seconds=round(time.monotonic() - began, 1))
    try:
        status = urllib.request.urlopen(urllib.request.Request(old, method="DELETE"), timeout=5).status
    except urllib.error.HTTPError as error:
        status = error.code
    bench.reporter.check(name, "a resource of before is unknown", status == 404, status=status)
    # The old calls still exist and keep sending checks.
    second, second_call = start(bench, again, "chromium", "killed")
    other, other_view = join(bench, again, "chromium", "killed")
    if first_frame(other, other_view) is None:
        bench.reporter.check(name, "a new call works", False)
        return
    time.sleep(1)
    watch = Watch(other, other_view)
    time.sleep(3)
    watch.end()
    check_frames(bench, name, watch, OWN)
    check_audio(bench, name, other, other_view)
    old_frames = subscriber.call("frames", id=view)
    bench.reporter.check(name, "nothing comes to the old call", not [f for f in old_frames if f[0] > watch.start])


ALL = [
    ("trickle, Chromium", trickle("chromium")),
    ("trickle, Firefox", trickle("firefox")),
    ("ICE restart, Chromium", restart("chromium")),
    ("relay killed", killed),
]
LONG = [("ICE restart, Firefox", restart("firefox"))]
