"""A relay pushes a live stream to a WHIP endpoint that refuses each request that RFC 9725 does not allow."""

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


class Server:
    """The endpoint in a process, which can be killed and started again at the same address."""

    def __init__(self, bench, name, port, token):
        self.token, self.url = token, f"http://{CLIENT}:{port}/whip/live"
        self.client = bench.keep(Aiortc(bench.current, name, program="strictwhip_worker.py"))
        self.client.call("serve", address=CLIENT, port=port, token=token)

    def record(self):
        return self.client.call("record")

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


def check_media(bench, name, server, text):
    """Checks that decoded frames and tones are those of the published file."""
    check, call = bench.reporter.check, server.record()["calls"][-1]
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
    sdp, fragment = "application/sdp", "application/trickle-ice-sdpfrag"
    patch = ("a=ice-ufrag:abcd\r\na=ice-pwd:abcdefghijklmnopqrstuv\r\nm=audio 9 UDP/TLS/RTP/SAVPF 0\r\na=mid:0\r\n"
             "a=candidate:1 1 udp 2130706431 192.0.2.1 9 typ host\r\na=end-of-candidates\r\n")
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
        "PATCH without credentials": (400, server.ask("PATCH", location, "a=end-of-candidates\r\n", Content_Type=fragment, If_Match='"0"')),
        "DELETE of another resource": (404, server.ask("DELETE", location + "0")),
        "no session description": (400, server.ask("POST", "live", offer.replace("\r\n", "\n"), Content_Type=sdp)),
    }
    for before, after in (("a=sendonly", "a=recvonly"), ("a=setup:actpass", "a=setup:passive"), ("a=rtcp-mux\r\n", ""), ("a=rtcp-mux-only\r\n", ""),
                          ("a=group:BUNDLE 0 1", "a=group:BUNDLE 0"), ("a=ice-pwd:", "a=ice-pwd:- "), ("a=fingerprint:sha-256", "a=fingerprint:sha-1"),
                          ("a=mid:1", "a=mid:0"), ("a=msid:", "a=other:"), ("a=ice-ufrag:", "a=other:"), ("m=audio", "m=video")):
        status = server.ask("POST", "live", offer.replace(before, after), Content_Type=sdp)
        wrong[f"{before.strip()} as {after or 'nothing'}"] = (422 if before in offer else "absent", status)
    failed = {case: (wanted, status) for case, (wanted, status) in wrong.items() if wanted != status}
    check(name, "the endpoint refuses what the RFC does not allow", not failed, requests=len(wrong), failed=failed)
    check(name, "and records each", len(server.record()["faults"]) == len(wrong), faults=len(server.record()["faults"]))
    right = [server.ask("OPTIONS", "live", token=""), server.ask("PATCH", location, patch, Content_Type=fragment, If_Match=etag),
             server.ask("PATCH", location, patch, Content_Type=fragment, If_Match="*")]
    check(name, "it answers OPTIONS without a token, takes candidates, and does not restart ICE", right == [200, 204, 422], answers=right)


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
    check(name, "one redirection is followed, and no request is refused", record["counts"] == {"POST 307": 1, "POST 201": 1} and not record["faults"],
          **{key: record[key] for key in ("counts", "faults")})

    server.kill()
    began = time.monotonic()
    clients.wait_until(lambda: not is_live(first), 30, "the loss of the endpoint")
    lost = round(time.monotonic() - began, 2)
    server = Server(bench, "endpoint-again", port, token)
    clients.wait_until(lambda: is_live(first), 30, "the push after the kill")
    check(name, "it is pushed again after the endpoint was killed and started", True, lost_seconds=lost, seconds=round(time.monotonic() - began, 2))
    check_media(bench, name, server, "after the kill")
    record = server.record()
    check(name, "again without a refused request", record["counts"] == {"POST 307": 1, "POST 201": 1} and not record["faults"],
          **{key: record[key] for key in ("counts", "faults")})
    check_strictness(check, name, server, record)
    known = server.record()["faults"]
    first.request("DELETE", f"/v1/admin/sessions/file/live/{live}")
    clients.wait_until(lambda: not server.record()["resources"], 5, "the deletion of the resource")
    record = server.record()
    check(name, "its resource is deleted at the end", record["deleted"] == 1 and record["faults"] == known, deleted=record["deleted"],
          faults=record["faults"][len(known):])


ALL = [("live push to a strict server", strict)]
LONG = []
