"""Case of clients of one session at three relays of a cluster: any relay takes any client."""

import json
import secrets
import time

import clients
import postgres
from cluster import cluster_options
from webrtc import pairs
from webrtc.room import Room
from webrtc.sdk import SDK, need
from webrtc.watch import Watch, first_frame

RELAYS = 3


def start_cluster(bench, count=RELAYS, extra=()):
    """Starts a database and relays that know each other."""
    bench.need(postgres.is_present(), "postgresql")
    database = bench.keep(postgres.Database(bench.current / "database"))
    # Requests of an operator are checked by the relay that gets them, and by the home relay.
    token = secrets.token_hex(16)
    relays = [bench.relay(name=f"relay-{number}", admin_token=token, extra=["--dev", *cluster_options(database, number), *extra]) for number in range(count)]

    def know_each_other():
        return all(len([r for r in listing(relay)["relays"] if r["isAlive"]]) == count for relay in relays)
    clients.wait_until(know_each_other, 15, "the members of the cluster")
    # A relay knows the certificates of new ones after its next heartbeat.
    time.sleep(1.2)
    return relays


def listing(relay):
    return json.loads(relay.request("GET", "/v1/admin/cluster")[0])


def three(bench, name):
    """A publisher by WHIP at one relay; subscribers by WHEP at each; the page and the SDK at others. A mute through any relay is in force for all."""
    need(bench)
    relays, report = start_cluster(bench), bench.reporter.check
    publisher, call = pairs.start(bench, relays[0], "chromium", "spread", width=480, height=270)
    viewers = [pairs.join(bench, relay, kind, "spread") for kind, relay in zip(("chromium", "firefox", "aiortc"), relays)]
    for viewer, view in viewers:
        first_frame(viewer, view)
    home = {entry["name"]: entry["relay"] for entry in listing(relays[2])["sessions"]}.get("spread")
    report(name, "the session is at the relay of its publisher", home == "relay0", home=home)
    pairs.watch_all(bench, name, publisher, call, viewers, bench.seconds, rate=27)

    sdk = bench.keep(SDK(bench, relays[1], "subscribe", "spread"))
    clients.wait_until(lambda: len([line for line in sdk.lines if "frame" in line]) > 30, 20, "frames at the SDK")
    report(name, "the SDK at another relay gets frames", True)
    page = Room(bench, "chromium", relays[2].url, "spread", "Ada")
    report(name, "the page of another relay joins", page.is_in())
    names = [user["name"] for user in json.loads(relays[1].request("GET", "/v1/admin/sessions/spread/participants")[0])["participants"]]
    report(name, "every relay lists the page's user", "Ada" in names, names=names)

    relays[1].request("PUT", "/v1/sessions/spread/streams/cam1/mute", {"kind": "video", "muted": True})
    time.sleep(0.5)
    watches = [Watch(*pair) for pair in viewers]
    time.sleep(2)
    frames = [watch.end().distinct for watch in watches]
    report(name, "after a mute through another relay no subscriber gets a frame", not any(frames), frames=frames)
    relays[2].request("PUT", "/v1/sessions/spread/streams/cam1/mute", {"kind": "video", "muted": False})
    time.sleep(3)
    watches = [Watch(*pair) for pair in viewers]
    time.sleep(2)
    frames = [watch.end().distinct for watch in watches]
    report(name, "afterwards all get frames again", all(count > 20 for count in frames), frames=frames)
    for viewer, view in viewers:
        pairs.check_deleted(bench, name, viewer, view)
    pairs.check_deleted(bench, name, publisher, call)


def killed(bench, name):
    """kill -9 of the home relay: the SDK and the page at other relays continue in the same session, as the same users, with a mute and media."""
    need(bench)
    relays, report = start_cluster(bench), bench.reporter.check
    bench.keep(SDK(bench, relays[0], "subscribe", "kept"))
    clients.wait_until(lambda: listing(relays[1])["sessions"], 15, "the session")
    report(name, "the session is at the first relay", listing(relays[1])["sessions"][0]["relay"] == "relay0")
    publisher = bench.keep(SDK(bench, relays[1], "publish", "kept", codec="VP8", width=480, height=270, rate=30))
    page = Room(bench, "chromium", relays[2].url, "kept", "Ada")
    report(name, "the page shows the SDK's video", page.is_in() and page.until(lambda: page.rate("SDK") > 10, 15))

    def users():
        return {u["identity"]: (u["id"], u["role"]) for u in read("participants") if u["identity"] in ("sdk-publish", "Ada") and u["isConnected"]}

    def read(kind):
        return json.loads(relays[1].request("GET", f"/v1/admin/sessions/kept/{kind}")[0])[kind]
    stream = next(s for s in read("streams") if s["connection"] == users()["sdk-publish"][0])
    relays[1].request("PUT", f"/v1/sessions/kept/streams/{stream['id']}/mute", {"kind": "audio", "muted": True})
    before = users()
    relays[0].kill()
    began = time.monotonic()
    clients.wait_until(lambda: len(listing(relays[1])["sessions"]) == 1 and listing(relays[1])["sessions"][0]["relay"] != "relay0", 15, "another home relay")
    clients.wait_until(lambda: page.rate("SDK") > 10, 20, "frames after the loss of the home relay")
    seconds = round(time.monotonic() - began, 1)
    report(name, "the page shows the video again", seconds < 15, seconds=seconds)
    clients.wait_until(lambda: len(users()) == 2, 10, "both users")
    report(name, "the SDK and the page are the same users as before", users() == before, before=before, after=users())
    home = [entry["relay"] for entry in listing(relays[1])["sessions"]]
    report(name, "one of the other relays runs the session", len(home) == 1 and home[0] != "relay0", home=home)
    streams = [s for s in read("streams") if s["connection"] == before["sdk-publish"][0]]
    report(name, "the muted track is still muted", len(streams) == 1 and streams[0]["isAudioMuted"], streams=len(streams))
    report(name, "the page is still in the session", page.is_in())


ALL = [
    ("cluster: clients at three relays", three),
    ("cluster: the home relay is killed", killed),
]
