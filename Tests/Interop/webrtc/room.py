"""The page at `/` as a test uses it: joins, presses buttons, looks and listens."""

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
# Degrees of the colour circle within which a picture is somebody's.
SAME_HUE = 14


def relay(bench, port=None, webrtc_port=None, name="relay", extra=()):
    """One that mints tokens itself. Its pages are at 127.0.0.1, where browsers give devices; its media is where Firefox pairs candidates."""
    media = ["--media-address", CLIENT, "--media-advertised", CLIENT] if bench.network.inside else []
    return bench.keep(WebRTCRelay(bench.binary, bench.current, extra=["--dev", *media, *extra], name=name, port=port,
                                  webrtc_port=webrtc_port, environment={"MILLRACE_ADMIN_TOKEN": ADMIN_TOKEN}))


def detour(bench, server):
    """A way to the relay's media whose end at the relay changes when it is told to; for one `Room`."""
    place = types.SimpleNamespace(address=CLIENT if bench.network.inside else "127.0.0.1", webrtc_port=server.webrtc_port)
    return bench.keep(Path(place))


def hue(name):
    """Of a name's test picture, as the page computes it (FNV-1a)."""
    value = 2166136261
    for character in name:
        value = (value ^ ord(character)) * 16777619 & 0xffffffff
    return value % 360


def is_colour_of(name, degrees):
    return degrees is not None and min((degrees - hue(name)) % 360, (hue(name) - degrees) % 360) <= SAME_HUE


class Room:
    """One user's page."""

    def __init__(self, bench, kind, url, session, name, role="host", password="", identity="", token="", way=None, passphrase=""):
        """`identity`: a user id other than the name; `token`: instead of one that the relay gives away; `way`: a `detour` of its media."""
        self.name = name
        asked = {"session": session, "name": name, "role": role, **({"identity": identity} if identity else {})}
        self.page = bench.visit(kind, f"{url}/?{urllib.parse.urlencode(asked)}{f'#token={token}' if token else ''}")
        if kind == "chromium":
            self.page.size(1280, 760)
        self.page.evaluate(f"(() => {{ {PROBE} return true }})()")
        if way:
            self.look("detour", way.address, way.port)
        self.submit(password, passphrase)

    def refusal(self, method, **parameters):
        """The error code of a request that the page's own buttons do not make."""
        return self.page.evaluate(f"millrace.request({json.dumps(method)}, {json.dumps(parameters)}).then(() => '', error => error.code)")

    def submit(self, password="", passphrase=""):
        self.look("fill", "#join-form", {"password": password, "passphrase": passphrase})

    def look(self, function, *arguments):
        """Calls the probe."""
        return self.page.evaluate(f"probe.{function}({', '.join(json.dumps(a) for a in arguments)})")

    def until(self, condition, timeout=8):
        """The first value of `condition()` that is true; the last one after that time."""
        end = time.monotonic() + timeout
        while not (value := condition()) and time.monotonic() < end:
            time.sleep(0.1)
        return value

    def is_in(self, timeout=10):
        return self.until(lambda: self.look("status") == "connected", timeout)

    def publish(self, what="picture"):
        self.until(lambda: self.look("press", what), 5)

    def sees(self, name, timeout=12):
        """Whether pictures of this user come, in its own colour: the last look."""
        def moving():
            first = self.look("seen", name)
            if not first or not is_colour_of(name, first["hue"]):
                return None
            time.sleep(0.3)
            then = self.look("seen", name)
            return then if then and then["stream"] == first["stream"] and then["frames"] > first["frames"] else None
        return self.until(moving, timeout)

    def rate(self, name, seconds=1):
        """Pictures a second of this user."""
        first, began = self.look("seen", name), time.monotonic()
        time.sleep(seconds)
        then = self.look("seen", name)
        return (then["frames"] - first["frames"]) / (time.monotonic() - began) if first and then else 0

    def level(self, name, seconds=0.5):
        """Root mean square of what is heard of this user over a time, 0...1."""
        first = self.look("heard", name)
        time.sleep(seconds)
        then = self.look("heard", name)
        if not first or not then or then["seconds"] <= first["seconds"]:
            return 0.0
        return max(0.0, (then["energy"] - first["energy"]) / (then["seconds"] - first["seconds"])) ** 0.5

    def hears(self, name, timeout=8):
        return self.until(lambda: self.level(name, 0.3) > 0.005, timeout)

    def is_silent(self, name, timeout=4):
        """No sound arrives any more: not a packet over a time that would hold dozens."""
        def silent():
            first = self.look("heard", name)
            time.sleep(0.6)
            then = self.look("heard", name)
            return first is not None and then is not None and then["packets"] == first["packets"]
        return self.until(silent, timeout)

    def has_left(self, timeout=6):
        """The text beside the form, once the page is back at it."""
        return self.until(lambda: self.look("text", "join") and self.look("text", "join-error"), timeout)

    def stop(self):
        self.page.stop()
