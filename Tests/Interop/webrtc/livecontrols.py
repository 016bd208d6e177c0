"""The controls of live pushes: the host's page, and the command `millrace live`."""

import colorsys
import json
import socket
import subprocess

import clients
import media
from relay import RelayError
from webrtc import whip_client
from webrtc.livepush import ALLOWED, check_record, record
from webrtc.network import CLIENT
from webrtc.pairs import OWN, from_ffmpeg
from webrtc.room import Room, is_colour_of, relay


def go_live(room, to):
    """Starts a push of the session's programme by the dialog of the page."""
    room.look("moderate", "start-live-programme")
    field = "document.querySelector('dialog[open] input[name=to]')"
    room.until(lambda: room.page.evaluate(f"!!{field}"))
    room.page.evaluate(f"{field}.value = {json.dumps(to)}; true")
    room.look("answer", "yes")


def told(room, text):
    return room.until(lambda: any(text in notice for notice in room.look("notices")))


def hue_of(path):
    """Returns the hue of the corner of a file's last frame, in degrees, at the pixel that the probe of the page reads."""
    raw = subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-vf", "scale=32:18,format=rgb24,crop=1:1:3:3", "-f", "rawvideo", "-"],
                         capture_output=True, timeout=60).stdout
    return colorsys.rgb_to_hsv(*raw[-3:])[0] * 360 if raw else None


def has_still(second):
    try:
        return second.request("GET", "/v1/sessions/pushed/streams/cam1/canvas.png")[0].startswith(b"\x89PNG")
    except RelayError:
        return False


def check_refusals(bench, name):
    """Addresses that a relay refuses by default: without TLS, and in its own network."""
    check = bench.reporter.check
    ada = Room(bench, "chromium", relay(bench, name="refusing").url, "refused", "Ada")
    check(name, "the host of a relay with usual rules is in", ada.is_in(), page=ada.look("why"))
    with socket.socket() as trap:
        trap.bind((CLIENT, 0))
        trap.listen()
        trap.settimeout(0.5)
        to = f"{CLIENT}:{trap.getsockname()[1]}/whip"
        go_live(ada, f"http://{to}")
        check(name, "an address without TLS is refused, with the reason", told(ada, "https:"), notices=ada.look("notices"))
        go_live(ada, f"https://{to}")
        refused = told(ada, f"Live stream: the address of {CLIENT} is not on the internet")
        check(name, "an address of the relay's network is refused, with the reason", refused, notices=ada.look("notices"))
        try:
            asked = bool(trap.accept())
        except TimeoutError:
            asked = False
    check(name, "no connection is made to it, and the session is not live", not asked and not ada.look("text", "live-state"))
    check(name, "there is nothing to end", ada.until(lambda: "stop-live" not in ada.look("moderate", "")), menu=ada.look("moderate", ""))
    ada.stop()


def by_page(bench, name):
    bench.need_network()
    check = bench.reporter.check
    check_refusals(bench, name)
    first = relay(bench, extra=ALLOWED)
    second = bench.relay(apart=True, name="second")
    ada = Room(bench, "chromium", first.url, "live", "Ada")
    bob = Room(bench, "chromium", first.url, "live", "Bob", role="participant")
    for room in (ada, bob):
        check(name, f"{room.name} is in", room.is_in(), page=room.look("why"))
    ada.publish()
    bob.sees("Ada")
    check(name, "the host can start it, and a participant cannot", "start-live-programme" in ada.look("moderate", "") and
          "start-live-programme" not in bob.look("moderate", ""))
    go_live(ada, second.whip("pushed"))
    for room in (ada, bob):
        check(name, f"{room.name} sees that the session is live", room.until(lambda: room.look("text", "live-state") == "Live", 15) and
              told(room, "streamed live from now on"), notices=room.look("notices"))
    # A reader that opens the stream before its video gets a header without it.
    clients.wait_until(lambda: has_still(second), 10, "the video of the pushed programme")
    path = bench.current / "pushed.webm"
    record(second, path, 4)
    frames, errors = media.packet_checksums(path, "v"), media.decoding_errors(path)
    check(name, "the host's video arrives at the second relay", len(frames) > 40 and not errors and is_colour_of("Ada", hue_of(path)), frames=len(frames),
          hue=hue_of(path), errors=errors[-200:])
    ada.page.screenshot(bench.current / "live.png")
    eve = Room(bench, "chromium", first.url, "live", "Eve", role="participant")
    check(name, "a late joiner sees it too", eve.is_in() and eve.until(lambda: eve.look("text", "live-state") == "Live"))
    check(name, "the host ends it", "stop-live" in ada.look("moderate", "stop-live") and
          all(room.until(lambda: not room.look("text", "live-state")) for room in (ada, bob, eve)) and told(bob, "The live stream has ended"),
          notices=bob.look("notices"))
    clients.wait_until(lambda: not second.has_stream("pushed"), 5, "the end of the pushed programme")
    check(name, "its resource is deleted at the end", True)


class Live:
    """The command, for one session of a relay."""

    def __init__(self, relay, session):
        self.relay, self.session = relay, session

    def __call__(self, *arguments):
        """Returns status, output and errors."""
        done = subprocess.run([str(self.relay.binary), "live", self.session, "--url", self.relay.url, "--token", self.relay.admin_token, *arguments],
                              capture_output=True, text=True, timeout=20)
        return done.returncode, done.stdout, done.stderr

    def json(self, *arguments):
        status, text, _ = self("--json", *arguments)
        return json.loads(text) if status == 0 else None


def by_command(bench, name):
    """One stream and the programme, started, listed and ended by the command."""
    bench.need_network()
    check = bench.reporter.check
    # `--allow-http` of the command is enough for an http: URL.
    first, second = bench.relay(extra=["--live-allow-private"], name="first"), bench.relay(apart=True, name="second")
    file = whip_client.File(bench.work / "sources", OWN)
    bench.keep(from_ffmpeg(bench, first, file))
    clients.wait_until(lambda: first.has_stream("file"), 10, "the publisher's stream")
    live = Live(first, "file")
    check(name, "the list is empty at first", live() == (0, "", "") and live.json() == {"live": []}, said=live())
    status, said, errors = live("--to", second.whip("pushed"))
    check(name, "an http: URL needs --allow-http", status == 2 and not said and "--allow-http" in errors, status=status, errors=errors.splitlines()[:1])
    status, said, errors = live("--stream", "nobody", "--to", second.whip("pushed"), "--allow-http")
    check(name, "an unknown stream is an error", status == 1 and not said and "unknownStream" in errors, status=status, errors=errors.splitlines()[:1])

    status, said, errors = live("--stream", "cam1", "--to", second.whip("pushed"), "--allow-http")
    stream = said.strip()
    check(name, "the command prints the id, and ends", status == 0 and stream and said == f"{stream}\n" and not errors, status=status, said=stream,
          errors=errors)
    programme = (live.json("--to", second.whip("programme"), "--allow-http") or {}).get("id")
    check(name, "and as JSON with --json", programme and programme != stream, id=programme)
    wanted = {f"{stream} cam1 live", f"{programme} programme live"}
    clients.wait_until(lambda: set(live()[1].splitlines()) == wanted and second.has_stream("pushed"), 15, "both in the list as live")
    rows = live.json()["live"]
    check(name, "the list has both", sorted((row["id"], row.get("stream"), row["isLive"]) for row in rows) ==
          sorted([(stream, "cam1", True), (programme, None, True)]), live=rows)
    record(second, bench.current / "pushed.webm", 4)
    check_record(bench, name, file, bench.current / "pushed.webm", "at the second relay")

    status, said, errors = live("--stop", stream)
    check(name, "--stop ends the push of the stream", (status, said, errors) == (0, "", ""), status=status, said=said.strip(), errors=errors)
    clients.wait_until(lambda: not second.has_stream("pushed"), 5, "the end of the pushed stream")
    check(name, "the other one goes on", live()[1] == f"{programme} programme live\n", said=live()[1].strip())
    status, said, errors = live("--stop", stream)
    check(name, "a second --stop is an error", status == 1 and not said and errors, status=status, errors=errors.splitlines()[:1])
    check(name, "--stop has valid JSON", live.json("--stop", programme) == {})
    clients.wait_until(lambda: not second.has_stream("programme") and live.json() == {"live": []}, 5, "the end of the programme")
    check(name, "both resources are deleted at the end", True)


ALL = [
    ("page: live push", by_page),
    ("live push by the command", by_command),
]
LONG = []
