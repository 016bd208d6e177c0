"""The page at `/` from the view of a test: joins, presses buttons, observes video and audio."""

import json
import pathlib
import time
import types
import urllib.parse

from webrtc.bench import WebRTCRelay
from webrtc.network import CLIENT
from webrtc.path import Path

PROBE = (pathlib.Path(__file__).parent / "page/probe.js").read_text()
ADMIN_TOKEN = "secret-of-the-operator"
# Tolerance in degrees of the colour circle within which a frame belongs to a participant.
SAME_HUE = 14


def relay(bench, port=None, webrtc_port=None, name="relay", extra=()):
    """Starts a relay that issues tokens itself. Its pages are at 127.0.0.1, where browsers give access to devices; its media is at an
    address with which Firefox pairs candidates."""
    media = ["--media-address", CLIENT, "--media-advertised", CLIENT] if bench.network.inside else []
    return bench.keep(WebRTCRelay(bench.binary, bench.current, extra=["--dev", *media, *extra], name=name, port=port,
                                  webrtc_port=webrtc_port, environment={"MILLRACE_ADMIN_TOKEN": ADMIN_TOKEN}))


def detour(bench, server):
    """Returns a path to the relay's media whose address at the relay can change; for one `Room`."""
    server_address = types.SimpleNamespace(address=CLIENT if bench.network.inside else "127.0.0.1", webrtc_port=server.webrtc_port)
    return bench.keep(Path(server_address))


def hue(name):
    """Returns the hue of a name's test video, as the page computes it (FNV-1a)."""
    value = 2166136261
    for character in name:
        value = (value ^ ord(character)) * 16777619 & 0xffffffff
    return value % 360


def is_colour_of(name, degrees):
    return degrees is not None and min((degrees - hue(name)) % 360, (hue(name) - degrees) % 360) <= SAME_HUE


class Room:
    """One user's page."""

    def __init__(self, bench, kind, url, session, name, role="host", password="", identity="", token="", way=None, passphrase="", agrees_on_keys=False,
                 watches_failures=False):
        """`identity`: a user id other than the name; `token`: replaces one that the relay issues; `way`: a `detour` of its media;
        `watches_failures`: the probe records `failureTimes`."""
        self.name = name
        asked = {"session": session, "name": name, "role": role, **({"identity": identity} if identity else {})}
        self.page = bench.visit(kind, f"{url}/?{urllib.parse.urlencode(asked)}{f'#token={token}' if token else ''}")
        if kind == "chromium":
            self.page.size(1280, 760)
        self.page.evaluate(f"(() => {{ {PROBE} return true }})()")
        if way:
            self.look("detour", way.address, way.port)
        if watches_failures:
            self.look("watchFailures")
        self.submit(password, passphrase, agrees_on_keys)

    def refusal(self, method, **parameters):
        """Returns the error code of a request that the page's own buttons do not make."""
        return self.page.evaluate(f"millrace.request({json.dumps(method)}, {json.dumps(parameters)}).then(() => '', error => error.code)")

    def submit(self, password="", passphrase="", agrees_on_keys=False):
        self.look("fill", "#join-form", {"password": password, "passphrase": passphrase, "agreesOnKeys": agrees_on_keys})

    def look(self, function, *arguments):
        """Calls the probe."""
        return self.page.evaluate(f"probe.{function}({', '.join(json.dumps(a) for a in arguments)})")

    def until(self, condition, timeout=8):
        """Returns the first true value of `condition()`; the last value if there is none in that time."""
        end = time.monotonic() + timeout
        while not (value := condition()) and time.monotonic() < end:
            time.sleep(0.1)
        return value

    def is_in(self, timeout=10):
        return self.until(lambda: self.look("status") == "connected", timeout)

    def publish(self, what="test-video"):
        self.until(lambda: self.look("press", what), 5)

    def sees(self, name, timeout=12):
        """Returns whether frames of this user arrive, in its own colour; on a time-out, the last observation."""
        def moving():
            first = self.look("seen", name)
            if not first or not is_colour_of(name, first["hue"]):
                return None
            time.sleep(0.3)
            then = self.look("seen", name)
            return then if then and then["stream"] == first["stream"] and then["frames"] > first["frames"] else None
        return self.until(moving, timeout)

    def rate(self, name, seconds=1):
        """Returns the frames per second of this user."""
        first, began = self.look("seen", name), time.monotonic()
        time.sleep(seconds)
        then = self.look("seen", name)
        return (then["frames"] - first["frames"]) / (time.monotonic() - began) if first and then else 0

    def level(self, name, seconds=0.5):
        """Returns the root mean square of this user's audio over a time, 0...1."""
        first = self.look("heard", name)
        time.sleep(seconds)
        then = self.look("heard", name)
        if not first or not then or then["seconds"] <= first["seconds"]:
            return 0.0
        return max(0.0, (then["energy"] - first["energy"]) / (then["seconds"] - first["seconds"])) ** 0.5

    def hears(self, name, timeout=8):
        return self.until(lambda: self.level(name, 0.3) > 0.005, timeout)

    def is_silent(self, name, timeout=4):
        """Returns whether no audio arrives any more: no packet over a time in which dozens would."""
        def silent():
            first = self.look("heard", name)
            time.sleep(0.6)
            then = self.look("heard", name)
            return first is not None and then is not None and then["packets"] == first["packets"]
        return self.until(silent, timeout)

    def has_left(self, timeout=6):
        """Returns the text next to the form, once the page shows it again."""
        return self.until(lambda: self.look("text", "join") and self.look("text", "join-error"), timeout)

    def stop(self):
        self.page.stop()
