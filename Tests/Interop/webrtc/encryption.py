"""Cases of end-to-end encryption in the page: the same passphrase, another one and none, in Chromium and Firefox."""

import functools
import json
import os
import subprocess
import time
import urllib.error
import urllib.request

import media
from recorded import composed
from webrtc import firefox
from webrtc.room import ADMIN_TOKEN, Room, relay

PASSPHRASE = "correct horse battery staple"
SESSION = "sealed"
# A publisher's offer, which the relay answers; no media follows.
OFFER = "\r\n".join((
    "v=0", "o=- 1 1 IN IP4 0.0.0.0", "s=-", "t=0 0", "a=group:BUNDLE 0", "m=audio 9 UDP/TLS/RTP/SAVPF 111", "c=IN IP4 0.0.0.0", "a=mid:0", "a=sendonly",
    "a=rtcp-mux", "a=rtpmap:111 opus/48000/2", "a=setup:actpass", "a=ice-ufrag:abcd", "a=ice-pwd:abcdefghijklmnopqrstuvwx",
    "a=fingerprint:sha-256 " + ":".join(["AB"] * 32), ""))


def enter(bench, kind, server, name, passphrase, role="participant", **options):
    return Room(bench, kind, server.url, SESSION, name, role=role, passphrase=passphrase, **options)


def notices(room):
    return room.page.evaluate("[...document.querySelectorAll('#notices > *, #alerts > *')].map(one => one.textContent)")


def requested_key_frames(room):
    """Key frames that the relay has requested of a page, for the encoding with most requests. A browser also encodes key frames
    that were not requested: the first one, and after each change of the frame size."""
    return room.page.evaluate("""(async () => {
        let count = 0;
        for (const report of (await millrace.publisher.connection.getStats()).values())
          if (report.type === "outbound-rtp" && report.kind === "video") count = Math.max(count, (report.pliCount ?? 0) + (report.firCount ?? 0));
        return count;
    })()""")


def caused_by_bandwidth(server):
    """Changes of layers and pauses, each of which requests a key frame: bandwidth is short at times on a busy machine."""
    metrics = server.metrics()
    return int(sum(metrics[f"millrace_{name}_total"] for name in ("layer_switches", "tracks_paused")))


def answered(server, path, body=None):
    """Status and code of a request: GET by the operator, POST of JSON by the operator, or of SDP. Endless bodies are not read."""
    if isinstance(body, str):
        data, fields = body.encode(), {"Content-Type": "application/sdp"}
    else:
        data, fields = json.dumps(body).encode() if body else None, {"Authorization": f"Bearer {ADMIN_TOKEN}", "Content-Type": "application/json"}
    request = urllib.request.Request(server.url + path, data, headers=fields)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, ""
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read() or b"{}").get("code", "")


def decoded(bench, file, secret):
    """Runs `millrace decode` on a recording. Returns its report as JSON, or its error text."""
    environment = {**os.environ, "MILLRACE_SECRET": secret}
    done = subprocess.run([bench.binary, "decode", "--json", file], env=environment, capture_output=True, text=True, timeout=60)
    try:
        found = json.loads(done.stdout)[0]
    except (ValueError, IndexError):
        return {"error": done.stderr, "status": done.returncode}
    return {**found.get("report", {}), "error": found.get("error", ""), "status": done.returncode}


def check_recording(bench, name, folder):
    """The recording opens with the passphrase, and not with another one or without."""
    files = sorted(folder.glob("*/*.webm"), key=lambda file: -file.stat().st_size)
    bench.reporter.check(name, "the stream was recorded", files, files=len(files))
    if not files:
        return
    report = decoded(bench, files[0], PASSPHRASE)
    frames, packets = report.get("video", {}).get("frames", 0), report.get("audio", {}).get("packets", 0)
    bench.reporter.check(name, "the recording opens with the passphrase", report["status"] == 0 and frames > 50 and packets > 200, frames=frames,
                         packets=packets, undecryptable=report.get("undecryptable"), errors=report.get("errors"), error=report["error"])
    report = decoded(bench, files[0], "another passphrase")
    frames = report.get("video", {}).get("frames", 0)
    bench.reporter.check(name, "and not with another one", report["status"] == 1 and not frames and report.get("undecryptable", 0) > 250,
                         frames=frames, undecryptable=report.get("undecryptable"))
    report = decoded(bench, files[0], "")
    bench.reporter.check(name, "and not without", report["status"] == 1 and "encrypted end to end" in report["error"], error=report["error"])
    output = folder / "session.mkv"
    status, _, errors = composed(bench.binary, files[0].parent, output)
    bench.reporter.check(name, "without it, no session file is composed", status == 1 and "encrypted end to end" in errors and not output.exists(),
                         status=status, errors=errors[-300:])
    status, report, errors = composed(bench.binary, files[0].parent, output, PASSPHRASE)
    wrong = media.decoding_errors(output) if status == 0 else errors
    bench.reporter.check(name, "with it, ffmpeg decodes the composed session without an error", status == 0 and not wrong, status=status, errors=wrong[-300:])


def pairs(bench, name):
    """Chromium and Firefox see and hear each other with the same passphrase, and the relay decodes nothing."""
    check = bench.reporter.check
    server = relay(bench)
    ada = enter(bench, "chromium", server, "Ada", PASSPHRASE, role="host")
    others = [enter(bench, "chromium", server, "Bob", PASSPHRASE)]
    if firefox.found():
        others.append(enter(bench, "firefox", server, "Fox", PASSPHRASE))
    members = [ada, *others]
    for room in members:
        check(name, f"{room.name} is in", room.is_in(20), page=room.look("why"))
        room.publish()
    for one in members:
        for other in members:
            if one is other:
                continue
            seen = one.sees(other.name, 20)
            check(name, f"{one.name} sees {other.name}", seen, seen=one.look("seen", other.name), notices=notices(one))
            # The test tone of Firefox is silent without a user's gesture.
            if other.name != "Fox":
                check(name, f"{one.name} hears {other.name}", one.hears(other.name, 10), level=round(one.level(other.name), 4))
    # Three browsers encode and decode on one machine: whether frames come, not how many.
    rate = others[0].rate("Ada", 3)
    check(name, "frames keep coming", rate > 2, frames_per_second=round(rate, 1))
    stream = ada.page.evaluate("millrace.publisher.publications[0].id")
    check(name, "the stream is announced as encrypted", ada.page.evaluate(f"millrace.state.streams.get({json.dumps(stream)}).isEncrypted"))
    session = f"/v1/sessions/{SESSION}"
    user = ada.page.evaluate("millrace.state.streams.get(millrace.publisher.publications[0].id).connection")
    paths = [f"{session}/{of}/canvas.{form}" for of in (f"streams/{stream}", f"participants/{user}") for form in ("png", "y4m", "wav")]
    paths += [f"{session}/{of}live.{form}" for of in ("", f"streams/{stream}/") for form in ("webm", "mkv")]
    answers = {path: answered(server, path) for path in paths}
    check(name, "the relay makes no still, canvas, live stream or programme of it", set(answers.values()) == {(409, "streamEncrypted")},
          others={path: answer for path, answer in answers.items() if answer != (409, "streamEncrypted")})


def required(bench, name):
    """A session that requires encryption refuses publishers without signalling, which cannot announce it."""
    check = bench.reporter.check
    server = relay(bench)
    for session, requires, wanted, text in (("open", False, (201, ""), "accepted without"), ("closed", True, (403, "encryptionRequired"), "refused with")):
        status, _ = answered(server, "/v1/admin/sessions", {"name": session, "requiresEncryption": requires})
        check(name, f"the session \"{session}\" is created", status == 201, status=status)
        # Twice: a refused publisher must not end the session that an operator has created.
        for number in (1, 2):
            plain = {"direction": "publish", "stream": f"plain{number}", "audio": {"payloadType": 111, "ssrc": number}}
            for kind, path, body in (("plain SRTP", f"/v1/sessions/{session}/plain", plain),
                                     ("WHIP", f"/whip/{session}?stream=whip{number}", OFFER)):
                status, code = answered(server, path, body)
                check(name, f"{kind} is {text} required encryption, request {number}", (status, code) == wanted, status=status, code=code)


def failure_delay(room):
    """Returns the milliseconds from the first packet that could not be opened to the session's event, at the longest, and its reason.

    The time of the first packet is that of the last look at the counters without one.
    """
    times = room.look("failureTimes")
    if times["told"] is None or times["before"] is None:
        return float("inf"), times
    return times["told"] - times["before"], times


def others(bench, name, kind="chromium"):
    """Participants with another passphrase and without one get a reason, no frame and no audio, and cost the publisher few key frames."""
    check = bench.reporter.check
    recordings = bench.current / "recordings"
    server = relay(bench, extra=["--record", str(recordings)])
    ada = enter(bench, "chromium", server, "Ada", PASSPHRASE, role="host")
    check(name, "Ada is in", ada.is_in(20), page=ada.look("why"))
    ada.publish()
    published = ada.until(lambda: ada.page.evaluate("millrace.publisher.publications[0]?.id"))
    check(name, "Ada publishes", published, notices=notices(ada))
    for who, passphrase, reason, text in (("Eve", "another passphrase", "wrongSecret", "passphrases differ"),
                                          ("Mallory", "", "noSecret", "Join again with the encryption passphrase")):
        before, changes = requested_key_frames(ada), caused_by_bandwidth(server)
        blind = enter(bench, kind, server, who, passphrase, watches_failures=True)
        check(name, f"{who} is in", blind.is_in(20), page=blind.look("why"))
        told = blind.until(lambda: any(text in notice for notice in notices(blind)), 10)
        began = time.monotonic()
        check(name, f"{who} is told why nothing can be seen", told, notices=notices(blind))
        delay, times = failure_delay(blind)
        check(name, f"{who}: the failure is reported within 1 s of the first frame that cannot be opened", delay <= 1000 and times["reason"] == reason,
              milliseconds=delay, times=times)
        time.sleep(max(0, began + 4 - time.monotonic()))
        # Another layout of the page requests other sizes.
        blind.page.evaluate("document.dispatchEvent(new Event('fullscreenchange'))")
        wanted = blind.page.evaluate("[...millrace.subscriber.wanted.values()].map(one => one.video)")
        check(name, f"{who}: video that cannot be opened stays stopped", wanted == [False], wanted=wanted)
        time.sleep(max(0, began + 10 - time.monotonic()))
        seen = blind.look("seen", "Ada")
        check(name, f"{who} sees no frame", not seen or not (seen["frames"] or seen["width"]), seen=seen)
        # Energy of the whole time: a single decoded packet, or noise of one that was not decrypted, would add some.
        heard = blind.look("heard", "Ada")
        check(name, f"{who} hears nothing of the packets that arrive", heard["packets"] > 100 and heard["energy"] < 1e-6, heard=heard)
        requests, changes = requested_key_frames(ada) - before, caused_by_bandwidth(server) - changes
        check(name, f"{who} costs Ada at most 3 key frames in 10 s after the one of its join, without those of bandwidth",
              requests <= 4 + changes, requests=requests, changes=changes)
        blind.stop()
    # What the failures left behind must not keep a participant with the right passphrase from anything.
    bob = enter(bench, "chromium", server, "Bob", PASSPHRASE)
    check(name, "Bob sees and hears Ada", bob.is_in() and bob.sees("Ada", 20) and bob.hears("Ada"), seen=bob.look("seen", "Ada"))
    for room in (bob, ada):
        room.stop()
    time.sleep(2)
    server.stop()
    check_recording(bench, name, recordings)


def safety_numbers(rooms):
    return [room.page.evaluate("document.getElementById('safety').hidden ? '' : document.getElementById('safety-number').textContent") for room in rooms]


def agreed(rooms, former):
    """The safety number that all pages show and that is not the former one."""
    numbers = set(safety_numbers(rooms))
    return numbers.pop() if len(numbers) == 1 and numbers not in ({""}, {former}) else ""


def automatic_keys(bench, name):
    """Chromium and Firefox agree on keys without a passphrase, and on others when somebody joins or leaves."""
    check = bench.reporter.check
    server = relay(bench)

    def join(kind, who, role="participant"):
        room = Room(bench, kind, server.url, SESSION, who, role=role, agrees_on_keys=True)
        check(name, f"{who} is in", room.is_in(20), page=room.look("why"))
        return room

    ada = join("chromium", "Ada", role="host")
    ada.publish()
    members, former = [ada], ""
    for kind, who in (("chromium", "Bob"), ("firefox", "Fox")):
        if kind == "firefox" and not firefox.found():
            continue
        members.append(join(kind, who))
        former = members[-1].until(lambda: agreed(members, former), 15)
        check(name, f"all show one safety number after {who} joined", former, numbers=safety_numbers(members))
        check(name, f"{who} sees and hears Ada", members[-1].sees("Ada", 20) and members[-1].hears("Ada"), seen=members[-1].look("seen", "Ada"),
              notices=notices(members[-1]))
    stream = ada.page.evaluate("millrace.publisher.publications[0].id")
    check(name, "the stream is announced as encrypted", ada.page.evaluate(f"millrace.state.streams.get({json.dumps(stream)}).isEncrypted"))
    # The first participant makes the keys; when it has left, the next one does.
    members[1].publish()
    ada.stop()
    rest = members[1:]
    number = rest[0].until(lambda: agreed(rest, former), 40)
    check(name, "all show another number after Ada left", number, numbers=safety_numbers(rest))
    if len(rest) > 1:
        check(name, "Fox sees Bob", rest[1].sees("Bob", 20), seen=rest[1].look("seen", "Bob"), notices=notices(rest[1]))
    eve = enter(bench, "chromium", server, "Eve", "")
    check(name, "Eve, without keys, is in", eve.is_in(), page=eve.look("why"))
    told = eve.until(lambda: any("encrypted" in notice for notice in notices(eve)), 10)
    check(name, "Eve is told why nothing can be seen", told, notices=notices(eve))
    for room in (eve, *rest):
        room.stop()


ALL = [
    ("page: end-to-end encryption", pairs),
    ("page: automatic keys", automatic_keys),
    ("page: another passphrase", others),
    ("encryption: required", required),
]
LONG = [
    ("encryption: another passphrase, Firefox", functools.partial(others, kind="firefox")),
]
