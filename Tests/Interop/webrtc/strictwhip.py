"""A relay pushes a live stream to a WHIP endpoint that refuses each request that RFC 9725 does not allow."""

import re
import secrets
import time
import urllib.error
import urllib.parse
import urllib.request

import clients
from relay import free_tcp_port
from webrtc.aiortc_client import Aiortc
from webrtc.livepush import is_live, publisher, start
from webrtc.network import CLIENT
from webrtc.pairs import OWN
from webrtc.watch import Watch, check_audio, first_frame

FRAMES = 900  # of the published file, after which it begins again
BEGUN = {"POST 307": 1, "POST 201": 1, "PATCH 204": 1}  # requests of a push that has just begun


class Server:
    """The endpoint in a process, which can be killed and started again at the same address."""

    def __init__(self, bench, name, port, token, patches=None):
        self.token, self.url = token, f"http://{CLIENT}:{port}/whip/live"
        self.client = bench.keep(Aiortc(bench.current, name, program="strictwhip_worker.py"))
        self.client.call("serve", address=CLIENT, port=port, token=token, patches=patches)

    def record(self):
        return self.client.call("record")

    def count(self, request):
        """Returns the number of requests, for example "PATCH 200"."""
        return self.record()["counts"].get(request, 0)

    def cut(self):
        """Closes the UDP sockets, without an end of the sessions."""
        self.client.call("cut")

    def kill(self):
        self.client.process.kill()
        self.client.process.wait()

    def ask(self, method, path, body=None, token=None, **fields):
        """Returns the status of a request. `token`: "" for none."""
        headers = {name.replace("_", "-"): value for name, value in fields.items()}
        if token != "":
            headers["Authorization"] = f"Bearer {token or self.token}"
        request = urllib.request.Request(urllib.parse.urljoin(self.url, path), body and body.encode(), headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code


def await_restart(bench, name, server, text):
    """Waits for media after an ICE restart, of which aiortc's state does not tell. aiortc waits for lost packets for about 3 s."""
    call = server.record()["calls"][-1]
    heard = server.client.call("samples", id=call)
    server.client.call("frames", id=call)
    time.sleep(1)
    heard = server.client.call("samples", id=call) - heard
    bench.reporter.check(name, f"audio arrives at once, {text}", heard > 24000, samples=heard)
    time.sleep(4)


def check_media(bench, name, server, text, restarted=False):
    """Checks that decoded frames and tones are those of the published file."""
    check, call = bench.reporter.check, server.record()["calls"][-1]
    if restarted:
        await_restart(bench, name, server, text)
    else:
        server.client.call("connected", id=call)
    # The publisher sends a key frame each second.
    if not check(name, f"a frame arrives, {text}", first_frame(server.client, call) is not None):
        return
    time.sleep(0.5)
    watch = Watch(server.client, call)
    time.sleep(2)
    seen = watch.end()
    steps = [(then - before) % FRAMES for before, then in zip(seen.numbers, seen.numbers[1:])]
    check(name, f"every frame arrives, {text}", len(steps) > 45 and set(steps) == {1} and not seen.damaged and seen.sources == [OWN], frames=len(seen),
          damaged=seen.damaged, steps=sorted(set(steps)), sources=seen.sources)
    check_audio(bench, f"{name}, {text}", server.client, call)


def check_strictness(check, name, server, record):
    """Checks that the endpoint itself refuses what it must: otherwise the absence of faults would mean nothing."""
    offer, [(location, etag)] = record["offers"][-1], record["resources"].items()
    sdp, fragment, patch = "application/sdp", "application/trickle-ice-sdpfrag", record["fragments"][-1]
    user, password = (re.search(rf"a={line}:(\S+)", patch)[1] for line in ("ice-ufrag", "ice-pwd"))
    other = patch.replace(user, "abcd").replace(password, "abcdefghijklmnopqrstuv")
    wrong = {
        "no token": (401, server.ask("POST", "live", offer, token="", Content_Type=sdp)),
        "another token": (401, server.ask("POST", "live", offer, token="other", Content_Type=sdp)),
        "another type": (415, server.ask("POST", "live", offer, Content_Type="text/plain")),
        "no SDP accepted": (406, server.ask("POST", "live", offer, Content_Type=sdp, Accept="text/html")),
        "GET": (405, server.ask("GET", "live")),
        "PUT of a resource": (405, server.ask("PUT", location, offer, Content_Type=sdp)),
        "an offer that was not redirected": (400, server.ask("POST", "ingest/live", offer, Content_Type=sdp)),
        "PATCH of another type": (415, server.ask("PATCH", location, patch, Content_Type=sdp, If_Match="*")),
        "PATCH without If-Match": (428, server.ask("PATCH", location, patch, Content_Type=fragment)),
        "PATCH of another ICE session": (412, server.ask("PATCH", location, patch, Content_Type=fragment, If_Match='"0"')),
        "PATCH without credentials": (400, server.ask("PATCH", location, "a=end-of-candidates\r\n", Content_Type=fragment, If_Match=etag)),
        "an ICE restart for one ICE session": (400, server.ask("PATCH", location, other, Content_Type=fragment, If_Match=etag)),
        "candidates for any ICE session": (400, server.ask("PATCH", location, patch, Content_Type=fragment, If_Match="*")),
        "an ICE restart with the same password": (400, server.ask("PATCH", location, patch.replace(user, "abcd"), Content_Type=fragment, If_Match="*")),
        "DELETE of another resource": (404, server.ask("DELETE", location + "0")),
        "no session description": (400, server.ask("POST", "live", offer.replace("\r\n", "\n"), Content_Type=sdp)),
    }
    for before, after in (("a=sendonly", "a=recvonly"), ("a=setup:actpass", "a=setup:passive"), ("a=rtcp-mux\r\n", ""), ("a=rtcp-mux-only\r\n", ""),
                          ("a=group:BUNDLE 0 1", "a=group:BUNDLE 0"), ("a=ice-pwd:", "a=ice-pwd:- "), ("a=fingerprint:sha-256", "a=fingerprint:sha-1"),
                          ("a=mid:1", "a=mid:0"), ("a=msid:", "a=other:"), ("a=ice-ufrag:", "a=other:"), ("m=audio", "m=video")):
        status = server.ask("POST", "live", offer.replace(before, after), Content_Type=sdp)
        wrong[f"{before.strip()} as {after or 'nothing'}"] = (422 if before in offer else "absent", status)
    for before, after in (("a=mid:0", "a=mid:1"), ("m=audio", "m=video"), ("BUNDLE 0 1", "BUNDLE 0"), ("trickle ice2", "trickle"), ("a=ice-pwd:", "a=other:"),
                          (" typ host", " typ relay"), (CLIENT, "127.0.0.1"), ("a=end-of-candidates", "a=other")):
        status = server.ask("PATCH", location, patch.replace(before, after), Content_Type=fragment, If_Match=etag)
        wrong[f"fragment: {before.strip()} as {after}"] = (400 if before in patch else "absent", status)
    failed = {case: (wanted, status) for case, (wanted, status) in wrong.items() if wanted != status}
    check(name, "the endpoint refuses what the RFC does not allow", not failed, requests=len(wrong), failed=failed)
    check(name, "and records each", len(server.record()["faults"]) == len(wrong), faults=len(server.record()["faults"]))
    right = [server.ask("OPTIONS", "live", token=""), server.ask("PATCH", location, patch, Content_Type=fragment, If_Match=etag)]
    check(name, "it answers OPTIONS without a token, and takes candidates", right == [200, 204], answers=right)


def strict(bench, name):
    first, _ = publisher(bench)
    check, port, token = bench.reporter.check, free_tcp_port(), secrets.token_urlsafe(24)
    server = Server(bench, "endpoint", port, token)
    live = start(first, server.url, token)
    began = time.monotonic()
    clients.wait_until(lambda: is_live(first) or server.record()["faults"], 15, "the push")
    if not check(name, "the stream is pushed", is_live(first), seconds=round(time.monotonic() - began, 2), faults=server.record()["faults"]):
        return
    check_media(bench, name, server, "before the kill")
    record = server.record()
    check(name, "one redirection is followed, candidates are sent once, and no request is refused", record["counts"] == BEGUN and not record["faults"],
          **{key: record[key] for key in ("counts", "faults")})
    check(name, "the candidate is the address of the route to the endpoint", f" {CLIENT} " in record["fragments"][0], fragment=record["fragments"][0])

    server.kill()
    began = time.monotonic()
    clients.wait_until(lambda: not is_live(first), 30, "the loss of the endpoint")
    lost = round(time.monotonic() - began, 2)
    server = Server(bench, "endpoint-again", port, token)
    clients.wait_until(lambda: is_live(first), 30, "the push after the kill")
    check(name, "it is pushed again after the endpoint was killed and started", True, lost_seconds=lost, seconds=round(time.monotonic() - began, 2))
    check_media(bench, name, server, "after the kill")
    record = server.record()
    check(name, "again without a refused request", record["counts"] == BEGUN and not record["faults"],
          **{key: record[key] for key in ("counts", "faults")})
    check_strictness(check, name, server, record)
    known = server.record()["faults"]
    first.request("DELETE", f"/v1/admin/sessions/file/live/{live}")
    clients.wait_until(lambda: not server.record()["resources"], 5, "the deletion of the resource")
    record = server.record()
    check(name, "its resource is deleted at the end", record["deleted"] == 1 and record["faults"] == known, deleted=record["deleted"],
          faults=record["faults"][len(known):])


def restarts(bench, name):
    """The endpoint loses its UDP sockets twice, and keeps its sessions."""
    first, _ = publisher(bench)
    check, token = bench.reporter.check, secrets.token_urlsafe(24)
    server = Server(bench, "endpoint", free_tcp_port(), token)
    live = start(first, server.url, token)
    clients.wait_until(lambda: is_live(first) and server.count("PATCH 204"), 15, "the push")
    check_media(bench, name, server, "before the cut")
    [(location, etag)] = server.record()["resources"].items()
    for number in (1, 2):
        server.cut()
        began = time.monotonic()
        clients.wait_until(lambda: server.count("PATCH 200") == number or not is_live(first), 25, "the ICE restart")
        check(name, f"ICE is restarted after cut {number}, without an end of the push", is_live(first), seconds=round(time.monotonic() - began, 2))
        check_media(bench, name, server, f"after cut {number}", restarted=True)
    record = server.record()
    check(name, "the resource is the same, with another entity-tag", [*record["resources"]] == [location] and etag not in record["resources"].values())
    check(name, "no request is refused, and no offer is repeated", record["counts"] == {**BEGUN, "PATCH 200": 2} and not record["faults"],
          **{key: record[key] for key in ("counts", "faults")})
    check(name, "each ICE session has a port of its own", len({re.search(r" (\d+) typ host", fragment)[1] for fragment in record["fragments"]}) == 3)
    first.request("DELETE", f"/v1/admin/sessions/file/live/{live}")
    clients.wait_until(lambda: not server.record()["resources"], 5, "the deletion of the resource")
    check(name, "its resource is deleted at the end", server.record()["deleted"] == 1)


def refusals(bench, name):
    """Endpoints that lose their UDP sockets and do not restart ICE: one takes candidates, the other has no PATCH."""
    first, _ = publisher(bench)
    check, token = bench.reporter.check, secrets.token_urlsafe(24)
    for patches, refused, before, text in ((["candidates"], "PATCH 422", {"PATCH 204": 1}, "with candidates alone"), ([], "PATCH 405", {}, "without PATCH")):
        server = Server(bench, f"endpoint-{len(patches)}", free_tcp_port(), token, patches)
        live = start(first, server.url, token)
        clients.wait_until(lambda: is_live(first) and len(server.record()["resources"]) == 1, 15, "the push")
        check_media(bench, name, server, f"{text}, before the cut")
        server.cut()
        began = time.monotonic()
        clients.wait_until(lambda: server.count("POST 201") == 2 and is_live(first), 30, "the new resource")
        check(name, f"a new resource replaces the lost one, {text}", server.record()["deleted"] == 1, seconds=round(time.monotonic() - began, 2))
        check_media(bench, name, server, f"{text}, after the cut")
        # A server without PATCH is asked once for each resource.
        wanted = {"POST 307": 2, "POST 201": 2, "DELETE 200": 1, **{kind: 2 for kind in before}, refused: 1 if before else 2}
        counts = server.record()["counts"]
        check(name, f"no refused request is repeated, {text}", counts == wanted, counts=counts)
        first.request("DELETE", f"/v1/admin/sessions/file/live/{live}")
        clients.wait_until(lambda: not server.record()["resources"], 5, "the deletion of the resource")


ALL = [
    ("live push to a strict server", strict),
    ("live push to a strict server that loses its sockets", restarts),
    ("live push to a strict server without ICE restarts", refusals),
]
LONG = []
