"""Case of clients of one session at three relays of a cluster: any relay takes any client."""

import contextlib
import json
import secrets
import time
import urllib.error
import urllib.parse
import urllib.request

import clients
import media
import postgres
from cluster import cluster_options
from recorded import recordings
from relay import RelayError
from webrtc import codecs, pairs
from webrtc.codecs import IN_FLIGHT
from webrtc.cut import Cut
from webrtc.encryptedpairs import NUMBERED
from webrtc.room import Room
from webrtc.sdk import SDK, need, settled
from webrtc.talk import Talk, together
from webrtc.watch import Watch, first_frame

RELAYS = 3
# The page paints 20 frames of test video a second.
LEAST_RATE = 12
# Milliseconds without a new frame that count as a freeze, beyond a pause of the publisher.
FREEZE = 800


def start_cluster(bench, count=RELAYS, extra=(), older=()):
    """Starts a database and relays that know each other. `older`: numbers of the relays of the earlier version."""
    bench.need(postgres.is_present(), "postgresql")
    database = bench.keep(postgres.Database(bench.current / "database"))
    # Requests of an operator are checked by the relay that gets them, and by the home relay.
    token = secrets.token_hex(16)
    relays = [bench.relay(name=f"relay-{number}", admin_token=token, extra=["--dev", *cluster_options(database, number), *extra],
                          is_older=number in older) for number in range(count)]

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
    subscribers = [pairs.join(bench, relay, kind, "spread") for kind, relay in zip(("chromium", "firefox", "aiortc"), relays)]
    for subscriber, view in subscribers:
        first_frame(subscriber, view)
    home = {entry["name"]: entry["relay"] for entry in listing(relays[2])["sessions"]}.get("spread")
    report(name, "the session is at the relay of its publisher", home == "relay0", home=home)
    pairs.watch_all(bench, name, publisher, call, subscribers, bench.seconds, rate=27)

    sdk = bench.keep(SDK(bench, relays[1], "subscribe", "spread"))
    clients.wait_until(lambda: len([line for line in sdk.lines if "frame" in line]) > 30, 20, "frames at the SDK")
    report(name, "the SDK at another relay gets frames", True)
    page = Room(bench, "chromium", relays[2].url, "spread", "Ada")
    report(name, "the page of another relay joins", page.is_in())
    names = [user["name"] for user in json.loads(relays[1].request("GET", "/v1/admin/sessions/spread/participants")[0])["participants"]]
    report(name, "every relay lists the page's user", "Ada" in names, names=names)

    relays[1].request("PUT", "/v1/sessions/spread/streams/cam1/mute", {"kind": "video", "muted": True})
    time.sleep(0.5)
    watches = [Watch(*pair) for pair in subscribers]
    time.sleep(2)
    frames = [watch.end().distinct for watch in watches]
    report(name, "after a mute through another relay no subscriber gets a frame", not any(frames), frames=frames)
    relays[2].request("PUT", "/v1/sessions/spread/streams/cam1/mute", {"kind": "video", "muted": False})
    time.sleep(3)
    watches = [Watch(*pair) for pair in subscribers]
    time.sleep(2)
    frames = [watch.end().distinct for watch in watches]
    report(name, "afterwards all get frames again", all(count > 20 for count in frames), frames=frames)
    for subscriber, view in subscribers:
        pairs.check_deleted(bench, name, subscriber, view)
    pairs.check_deleted(bench, name, publisher, call)


class PageFrames:
    """Frames that the page decodes of the only stream of its session, with the functions that the checks use."""

    kind = "chromium"

    def __init__(self, room):
        self.room, self.evaluate = room, room.page.evaluate
        self.evaluate(f"(() => {{ const api = {{}}; {NUMBERED} window.numbered = {{Watcher}}; return true; }})()")

    def begin(self):
        """Reads the stream; returns whether it is received."""
        return self.room.until(lambda: self.evaluate("""(() => {
            const [stream] = millrace.state.streams.values(), track = stream && millrace.subscriber.media(stream.id)?.getVideoTracks()[0];
            if (!track) return false;
            window.watcher = new numbered.Watcher(track);
            window.formerConnection = millrace.subscriber.connection;
            return true;
        })()"""), 15)

    def has_same_connection(self):
        return self.evaluate("millrace.subscriber.connection === window.formerConnection")

    def call(self, function, **_):
        return self.evaluate({
            "frames": "window.watcher?.seen.splice(0) ?? []", "first": "window.watcher?.first ?? null",
            "stats": "(async () => [...(await millrace.subscriber.connection.getStats()).values()])()",
            "state": "({states: [millrace.status, millrace.subscriber.connection?.connectionState]})"}[function])


def killed(bench, name):
    """kill -9 of the home relay: the SDK and the page at other relays continue in the same session, as the same users, with a mute. The SDK and the
    page at one of them miss no frame of the publisher at another one."""
    need(bench)
    relays, report = start_cluster(bench), bench.reporter.check
    relays[0].request("POST", "/v1/admin/sessions", {"name": "kept"})
    clients.wait_until(lambda: listing(relays[1])["sessions"], 15, "the session")
    report(name, "the session is at the first relay", listing(relays[1])["sessions"][0]["relay"] == "relay0")
    publisher = bench.keep(SDK(bench, relays[1], "publish", "kept", codec="VP8", width=480, height=270, rate=20, source=pairs.OWN))
    clients.wait_until(lambda: publisher.latest("encoded", 0) > 0, 15, "the SDK's stream")
    subscriber = bench.keep(SDK(bench, relays[2], "subscribe", "kept"))
    page = Room(bench, "chromium", relays[2].url, "kept", "Ada")
    report(name, "the page shows the SDK's video", page.is_in() and page.until(lambda: page.rate("SDK") > 10, 15))
    frames = PageFrames(page)
    report(name, "the page and the SDK receive the publisher", frames.begin() and all(first_frame(one, None, 15) for one in (subscriber, frames)))
    identities = ("sdk-publish", "sdk-subscribe", "Ada")

    def users():
        return {u["identity"]: (u["id"], u["role"]) for u in read("participants") if u["identity"] in identities and u["isConnected"]}

    def read(kind):
        return json.loads(relays[1].request("GET", f"/v1/admin/sessions/kept/{kind}")[0])[kind]
    stream = next(s for s in read("streams") if s["connection"] == users()["sdk-publish"][0])
    relays[1].request("PUT", f"/v1/sessions/kept/streams/{stream['id']}/mute", {"kind": "audio", "muted": True})
    # The subscribers' answers, and the mute, are saved.
    time.sleep(2)
    before, encoded = users(), settled(publisher)
    watches = [Watch(one, None) for one in (subscriber, frames)]
    relays[0].kill()
    began = time.monotonic()
    time.sleep(2)
    rate = page.rate("SDK")
    report(name, "media between the other relays goes on while no relay runs the session", rate > 12, rate=rate)
    clients.wait_until(lambda: len(listing(relays[1])["sessions"]) == 1 and listing(relays[1])["sessions"][0]["relay"] != "relay0", 15, "another home relay")

    def are_back():
        with contextlib.suppress(RelayError):
            return len(users()) == len(identities)
    clients.wait_until(are_back, 20, "all users")
    seconds = round(time.monotonic() - began, 1)
    report(name, "all users are back", seconds < 15, seconds=seconds)
    # A client that subscribes again would do so now.
    time.sleep(3)
    for watch in watches:
        watch.end()
    left_out = max(0, settled(publisher) - encoded) + IN_FLIGHT
    for watch in watches:
        title, seen = f"{name}, {watch.client.kind}", watch.seen
        if seen.missing > left_out:
            bench.explain(watch.client, watch.call)
        report(title, "every frame number that was encoded is seen over the take-over", seen.distinct > 0 and seen.missing <= left_out,
               missing=seen.missing, of=seen.distinct, left_out=left_out)
        report(title, "without a freeze, in order, of one publisher", watch.gap() < 2 * FREEZE and seen.backwards == 0 and seen.sources == [pairs.OWN],
               gap=round(watch.gap()), backwards=seen.backwards, sources=seen.sources)
    report(name, "the page has the same subscribe peer connection", frames.has_same_connection())
    report(name, "all are the same users as before", users() == before, before=before, after=users())
    home = [entry["relay"] for entry in listing(relays[1])["sessions"]]
    report(name, "one of the other relays runs the session", len(home) == 1 and home[0] != "relay0", home=home)
    streams = [s for s in read("streams") if s["connection"] == before["sdk-publish"][0]]
    report(name, "the muted track is still muted", len(streams) == 1 and streams[0]["isAudioMuted"], streams=len(streams))
    report(name, "the publisher has not published again", [s["id"] for s in streams] == [stream["id"]], before=stream["id"], after=streams)
    report(name, "the page is still in the session", page.is_in())
    # The next home relay's rules apply to the peer connections that continue.
    relays[1].request("PUT", f"/v1/sessions/kept/streams/{stream['id']}/mute", {"kind": "video", "muted": True})
    time.sleep(0.5)
    watches = [Watch(one, None) for one in (subscriber, frames)]
    time.sleep(2)
    counts = [watch.end().distinct for watch in watches]
    report(name, "after a mute no subscriber gets a frame", not any(counts), frames=counts)


def edges(bench, name):
    """The page publishes at one relay to pages and the SDK at two others, of which one is the session's home relay: media, mutes, a recording
    and subsessions."""
    need(bench)
    folder, report = bench.current / "recordings", bench.reporter.check
    relays = start_cluster(bench, extra=["--recording-directory", str(folder)])
    # The first to join is host; so that this one is not at the home relay, the session is there before.
    relays[0].request("POST", "/v1/admin/sessions", {"name": "edges"})
    ada = Talk(bench, relays[1].url, "edges", "Ada", role="host")
    report(name, "the publisher is in", ada.is_in(), page=ada.look("why"))
    ada.publish()
    kim, leo = Talk(bench, relays[2].url, "edges", "Kim"), Room(bench, "firefox", relays[0].url, "edges", "Leo", role="participant")
    for subscriber in (kim, leo):
        report(name, f"{subscriber.name} sees the publisher at another relay", subscriber.is_in() and subscriber.sees("Ada", 20), page=subscriber.look("why"))
    check_flow(bench, name, "at every relay", ada, kim, leo)
    report(name, "the tone is heard at another relay", kim.plays(["Ada"]) == ["Ada"])
    first = leo.look("heard", "Ada")["packets"]
    report(name, "and at the home relay", leo.until(lambda: leo.look("heard", "Ada")["packets"] - first > 50, 3))
    check_placement(bench, name, relays)
    sdk = bench.keep(SDK(bench, relays[2], "subscribe", "edges"))
    clients.wait_until(lambda: len([line for line in sdk.lines if "frame" in line]) > 20, 20, "frames at the SDK")
    report(name, "the SDK gets frames of another relay, from its own", relays[2].metrics()["millrace_peers_connected_total"] == 2)
    sdk.stop()
    stream = ada.page.evaluate("millrace.publication('camera').id")
    check_recorded_edge(bench, name, relays[0], f"/v1/admin/sessions/edges/streams/{stream}/record", folder)
    check_muted_edge(bench, name, relays, f"/v1/sessions/edges/streams/{stream}/mute", ada, kim, leo)
    check_moved_edge(bench, name, relays, ada, kim, leo)


def visitors(bench, name):
    """A WHIP publisher at one relay and WHEP subscribers at another; the session's home relay is the third one, and has no media of theirs."""
    relays, report = start_cluster(bench), bench.reporter.check
    relays[0].request("POST", "/v1/admin/sessions", {"name": "visitors"})
    publisher, call = pairs.start(bench, relays[1], "aiortc", "visitors", width=480, height=270)
    subscribers = [pairs.join(bench, relays[2], kind, "visitors") for kind in ("aiortc", "chromium")]
    home = {entry["name"]: entry["relay"] for entry in listing(relays[2])["sessions"]}.get("visitors")
    report(name, "the session is at the first relay", home == "relay0", home=home)
    for who, relay, client, number in (("publisher", relays[1], publisher, call), ("subscriber", relays[2], *subscribers[0])):
        ports = candidate_ports(client.call("state", id=number)["answer"])
        report(name, f"the {who}'s answer has the addresses of the relay that it asked", ports == {relay.webrtc_port}, ports=sorted(ports), relay=relay.webrtc_port)
    pairs.watch_all(bench, name, publisher, call, subscribers, bench.seconds, rate=24)
    peers = [relay.metrics()["millrace_peers_connected_total"] for relay in relays]
    report(name, "each peer is at the relay that it asked", peers == [0, 1, 2], peers=peers)
    pipes = [relays[0].metrics()[f'millrace_cluster_media_pipes{{direction="{direction}"}}'] for direction in ("in", "out", "between")]
    report(name, "pipes lead to the home relay and to the subscribers' relay", pipes == [1, 0, 1], pipes=pipes)
    location = subscribers[0][0].call("state", id=subscribers[0][1])["location"]
    check_visitor_events(bench, name, location)
    check_visitor_restart(bench, name, *subscribers[1])

    mute = "/v1/sessions/visitors/streams/cam1/mute"
    relays[2].request("PUT", mute, {"kind": "video", "muted": True})
    time.sleep(0.5)
    watches = [Watch(*pair) for pair in subscribers]
    time.sleep(2)
    frames = [watch.end().distinct for watch in watches]
    report(name, "after a mute no subscriber gets a frame", not any(frames), frames=frames)
    relays[2].request("PUT", mute, {"kind": "video", "muted": False})
    time.sleep(3)
    watches = [Watch(*pair) for pair in subscribers]
    time.sleep(2)
    frames = [watch.end().distinct for watch in watches]
    report(name, "afterwards all get frames again", all(count > 20 for count in frames), frames=frames)

    for client, number in [*subscribers, (publisher, call)]:
        pairs.check_deleted(bench, name, client, number)
    status = status_of_end(location)
    report(name, "an ended resource is unknown", status == 404, status=status)
    links = 'millrace_cluster_media_links{role="home"}'
    clients.wait_until(lambda: relays[0].metrics()[links] == 0, 20, "the end of the media links")
    left = [relays[0].metrics()[f'millrace_cluster_media_pipes{{direction="{direction}"}}'] for direction in ("in", "out", "between")]
    report(name, "no link and no pipe remains", not any(left), pipes=left)


def plain(bench, name):
    """ffmpeg publishes by plain SRTP at one relay, and receives at another; the session's home relay is the third one."""
    relays, report = start_cluster(bench), bench.reporter.check
    relays[0].request("POST", "/v1/admin/sessions", {"name": "plain"})
    way_in = relays[1].open("publish", "plain", stream="cam1")
    bench.keep(clients.ffmpeg_publisher(way_in, codecs.file(bench).path, bench.current / "publisher.log", loop=True))
    way_out = relays[2].open("subscribe", "plain", stream="cam1")
    receiver = bench.keep(clients.ffmpeg_receiver(way_out, bench.current))
    pipes = [relays[0].metrics()[f'millrace_cluster_media_pipes{{direction="{direction}"}}'] for direction in ("in", "out", "between")]
    report(name, "pipes lead to the home relay and to the subscriber's relay", pipes == [1, 0, 1], pipes=pipes)
    clients.wait_until(lambda: len(receiver.decoded) > 100, 20, "frames at the plain subscriber")
    report(name, "the subscriber decodes frames of the other relay", True)
    relays[0].request("POST", way_out.location + "/keyframe")
    relays[0].close(way_out)
    relays[2].close(way_in)
    statuses = []
    for relay, route in zip(relays, (way_in, way_out)):
        try:
            relay.close(route)
        except RelayError as error:
            statuses.append(error.status)
    report(name, "ended transports are unknown", statuses == [404, 404], statuses=statuses)
    clients.wait_until(lambda: relays[0].metrics()['millrace_cluster_media_links{role="home"}'] == 0, 20, "the end of the media links")
    report(name, "no link remains", True)


def candidate_ports(sdp):
    """Returns the UDP ports of an answer's candidates."""
    fields = [line.split() for line in sdp.splitlines() if line.startswith("a=candidate:")]
    return {int(field[5]) for field in fields if field[2].lower() == "udp"}


def status_of_end(location):
    try:
        return urllib.request.urlopen(urllib.request.Request(location, method="DELETE"), timeout=10).status
    except urllib.error.HTTPError as error:
        return error.code


def check_visitor_events(bench, name, location):
    """Server-sent events of a resource whose media is at another relay than its session."""
    body = json.dumps(["active", "viewercount"]).encode()
    request = urllib.request.Request(location + "/events", body, method="POST", headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        source = urllib.parse.urljoin(location, answer.headers["Location"])
    text, count = "", '"viewercount":2'
    with contextlib.suppress(TimeoutError), urllib.request.urlopen(source, timeout=10) as events:
        while count not in text:
            text += events.readline().decode()
    bench.reporter.check(name, "events name the stream as active, and its subscribers at all relays",
                         "event: active" in text and count in text, events=text[-300:])


def check_visitor_restart(bench, name, subscriber, view):
    tag = subscriber.call("state", id=view)["etag"]
    said = subscriber.call("restart", id=view)
    bench.reporter.check(name, "a subscriber restarts ICE at its relay", said["remoteChanged"] and said["etag"] != tag, **said)
    watch = Watch(subscriber, view)
    time.sleep(3)
    frames = watch.end().distinct
    bench.reporter.check(name, "and gets frames afterwards", frames > 40, frames=frames)


def check_flow(bench, name, where, publisher, *subscribers):
    sent, *flows = together(*(lambda one=one: one.look("flow", "" if one is publisher else publisher.name, 2.5) for one in (publisher, *subscribers)))
    # A machine that cannot encode 20 frames a second cannot show them either.
    rate, gap = min(LEAST_RATE, 0.8 * sent["rate"]), FREEZE + sent["gap"]
    bench.reporter.check(name, f"frames arrive {where} without a freeze",
                         sent["rate"] > 1 and all(flow["rate"] >= rate and flow["gap"] < gap for flow in flows), sent=sent, flows=flows)


def check_placement(bench, name, relays):
    """Each client's media is at the client's own relay, and pipes lead from the publisher's relay to the others."""
    values = [relay.metrics() for relay in relays]
    peers = [metrics["millrace_peers_connected_total"] for metrics in values]
    bench.reporter.check(name, "each relay has the peer of its own client", peers == [1, 1, 1], peers=peers)
    links = [[metrics[f'millrace_cluster_media_links{{role="{role}"}}'] for role in ("home", "edge")] for metrics in values]
    bench.reporter.check(name, "the home relay has a link to each other relay", links == [[2, 0], [0, 1], [0, 1]], links=links)
    pipes = [values[0][f'millrace_cluster_media_pipes{{direction="{direction}"}}'] for direction in ("in", "out", "between")]
    bench.reporter.check(name, "pipes lead to the home relay and to the third one", pipes == [1, 0, 1], pipes=pipes)


def check_recorded_edge(bench, name, home, path, folder):
    seconds = 2
    home.request("POST", path, {"action": "start"})
    time.sleep(seconds)
    home.request("POST", path, {"action": "stop"})
    clients.wait_until(lambda: recordings(folder, "VP8"), 5, "the recording")
    files = recordings(folder, "VP8")
    counts = media.probe(files[0]) if files else None
    errors = media.decoding_errors(files[0]) if files else ""
    bench.reporter.check(name, "a recording at the home relay has the frames of another relay",
                         len(files) == 1 and counts[0]["video"] > LEAST_RATE * seconds * 0.7 and counts[0]["audio"] > 35 * seconds and not errors,
                         counts=counts, errors=errors[-200:], answer=home.request("GET", path)[0].decode()[:200])


def forwarded(relays):
    return [relay.metrics()["millrace_packets_forwarded_total"] for relay in relays]


def check_muted_edge(bench, name, relays, path, publisher, *subscribers):
    """A mute through the relay that is neither the publisher's nor the home relay."""
    report = bench.reporter.check
    for kind in ("audio", "video"):
        relays[2].request("PUT", path, {"kind": kind, "muted": True})
    before = forwarded(relays)
    # A client that ignores the mute.
    publisher.page.evaluate("['audio', 'video'].map(kind => millrace.publication('camera').track(kind).enabled = true).length")
    muted = relays[1].metrics()["millrace_packets_muted_total"]
    time.sleep(1.5)
    after = forwarded(relays)
    report(name, "after the answer to a mute no relay forwards a packet", before == after, before=before, after=after)
    count = relays[1].metrics()["millrace_packets_muted_total"] - muted
    report(name, "the publisher's relay drops what it sends", count > 30, packets=count)
    flows = [subscriber.look("flow", publisher.name, 0.5) for subscriber in subscribers]
    report(name, "no page gets a frame", all(flow["rate"] == 0 for flow in flows), flows=flows)
    # Only the publisher ends it.
    publisher.page.evaluate("Promise.all(['audio', 'video'].map(kind => millrace.setMuted(millrace.publication('camera'), kind, false))).then(() => true)")
    report(name, "after the end of the mute all see the publisher again", all(subscriber.sees(publisher.name) for subscriber in subscribers))
    check_flow(bench, name, "again", publisher, *subscribers)


def check_moved_edge(bench, name, relays, publisher, companion, subscriber):
    """The publisher moves into a subsession; then the companion follows."""
    report = bench.reporter.check
    for one in (publisher, companion):
        one.look("tab", "subsessions")
    publisher.look("fill", ".subsession-form", {"names": "Tea\nCoffee"})
    publisher.until(lambda: publisher.look("press", "start-subsessions"))
    report(name, "rooms open", companion.until(lambda: companion.look("canEnter", "Tea")) and publisher.until(lambda: publisher.look("canEnter", "Tea")))
    there = [relays[0], relays[2]]
    began = forwarded(there)
    time.sleep(0.5)
    # Proves that the next check can fail.
    report(name, "before the move both relays forward", all(b > a for a, b in zip(began, forwarded(there))), before=began)
    publisher.page.evaluate("millrace.request('joinSubsession', {subsession: [...millrace.state.subsessions.all.values()]"
                            ".find(room => room.name === 'Tea').id}).then(() => true)")
    before = forwarded(there)
    time.sleep(1.5)
    after = forwarded(there)
    report(name, "after the answer to the move no relay forwards into the main session", before == after, before=before, after=after)
    companion.look("enter", "Tea")
    report(name, "one who follows at another relay sees the publisher", companion.sees(publisher.name), names=companion.look("names"))
    before = forwarded(relays[:1])
    check_flow(bench, name, "in the subsession", publisher, companion)
    report(name, "the main session still gets nothing", before == forwarded(relays[:1]) and not {publisher.name, companion.name} & set(subscriber.look("names")),
           names=subscriber.look("names"), before=before, after=forwarded(relays[:1]))


def edge_killed(bench, name):
    """kill -9 of the publisher's relay, which is not the home relay: the others stay, and the publisher returns through another relay."""
    need(bench)
    relays, report = start_cluster(bench), bench.reporter.check
    relays[0].request("POST", "/v1/admin/sessions", {"name": "lost"})
    way = bench.keep(Cut(relays[1].port, relays[1].address))
    ada = Room(bench, "chromium", way.url, "lost", "Ada")
    kim, leo = Room(bench, "chromium", relays[2].url, "lost", "Kim"), Room(bench, "chromium", relays[0].url, "lost", "Leo")
    for one in (ada, kim, leo):
        report(name, f"{one.name} is in", one.is_in(), page=one.look("why"))
    for one in (ada, kim):
        one.publish()
    report(name, "all see each other", all(subscriber.sees(who, 20) for subscriber, who in ((kim, "Ada"), (leo, "Ada"), (ada, "Kim"), (leo, "Kim"))))
    me = "[millrace.state.self, millrace.publication('camera')?.id].join()"
    before = [one.page.evaluate(me) for one in (ada, kim)]
    way.lead_to(relays[2])
    relays[1].kill()
    began = time.monotonic()
    check_flow(bench, name, "at the others", kim, leo)
    report(name, "the others stay", kim.look("status") == leo.look("status") == "connected")
    seen = [subscriber.sees("Ada", 20) for subscriber in (kim, leo)]
    report(name, "the publisher is seen again through another relay", all(seen), seconds=round(time.monotonic() - began, 1), ada=ada.look("status"), seen=seen)
    report(name, "and sees the others again", ada.sees("Kim", 15), seen=ada.look("seen", "Kim"))
    after = [one.page.evaluate(me) for one in (ada, kim)]
    report(name, "all are the same users", [text.split(",")[0] for text in after] == [text.split(",")[0] for text in before], before=before, after=after)
    lost = relays[0].metrics()["millrace_cluster_media_links_lost_total"]
    report(name, "the home relay counts the lost link", lost == 1, lost=lost)


def versions(home_is_older):
    """Relays of two versions. If the earlier one lacks pipes, the media of its clients, and of the sessions that it runs, is at the home relay."""
    def case(bench, name):
        need(bench)
        bench.need(bench.older, "--older PATH")
        report = bench.reporter.check
        relays = start_cluster(bench, older=[0] if home_is_older else [1])
        relays[0].request("POST", "/v1/admin/sessions", {"name": "versions"})
        ada = Talk(bench, relays[1].url, "versions", "Ada", role="host")
        kim, leo = Talk(bench, relays[2].url, "versions", "Kim"), Room(bench, "firefox", relays[0].url, "versions", "Leo", role="participant")
        for one in (ada, kim, leo):
            report(name, f"{one.name} is in", one.is_in(), page=one.look("why"))
        for one in (ada, kim):
            one.publish()
        report(name, "all see each other", all(subscriber.sees(who, 20) for subscriber, who in ((kim, "Ada"), (leo, "Ada"), (ada, "Kim"), (leo, "Kim"))))
        check_flow(bench, name, "from Ada", ada, kim, leo)
        check_flow(bench, name, "from Kim", kim, ada, leo)
        peers = [relay.metrics()["millrace_peers_connected_total"] for relay in relays]
        # Ada and Kim have two peer connections each, Leo has one.
        report(name, "each peer connection is at its relay", peers in ([5, 0, 0] if home_is_older else [3, 0, 2], [1, 2, 2]), peers=peers)
        stream = ada.page.evaluate("millrace.publication('camera').id")
        before = kim.look("heard", "Ada")["packets"]
        report(name, "the audio is heard", kim.until(lambda: kim.look("heard", "Ada")["packets"] - before > 20, 5))
        relays[2].request("PUT", f"/v1/sessions/versions/streams/{stream}/mute", {"kind": "audio", "muted": True})
        time.sleep(0.3)
        before = [subscriber.look("heard", "Ada")["packets"] for subscriber in (kim, leo)]
        time.sleep(1.5)
        after = [subscriber.look("heard", "Ada")["packets"] for subscriber in (kim, leo)]
        report(name, "after a mute no subscriber gets a packet", before == after, before=before, after=after)
    return case


ALL = [
    ("cluster: clients at three relays", three),
    ("cluster: the home relay is killed", killed),
    ("cluster: media at the relay of each client", edges),
    ("cluster: WHIP and WHEP at the relay of each client", visitors),
    ("cluster: plain SRTP at the relay of each client", plain),
    ("cluster: the publisher's relay is killed", edge_killed),
    ("cluster: an edge of an earlier version", versions(home_is_older=False)),
    ("cluster: a home relay of an earlier version", versions(home_is_older=True)),
]
