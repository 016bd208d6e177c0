"""Debian's Janus as a second relay: its VideoRoom over its HTTP API, with publishers and subscribers of the test page."""

import json
import os
import secrets
import shutil
import socket
import time
import urllib.request

import clients
from relay import free_tcp_port
from webrtc.network import RELAY

LIBRARY = "/usr/lib/{}-linux-gnu/janus".format(os.uname().machine)
ROOM = 1

CONFIGURATION = {
    "janus.jcfg": """
general: {{ configs_folder = "{folder}", plugins_folder = "{library}/plugins", transports_folder = "{library}/transports",
  events_folder = "{library}/events", loggers_folder = "{library}/loggers", debug_level = 4, session_timeout = 0,
  server_name = "yardstick" }}
nat: {{ ice_lite = true, ice_ignore_list = "none" }}
media: {{ ipv6 = false }}
plugins: {{ disable = "{others}" }}
transports: {{ disable = "{transports}" }}
""",
    "janus.transport.http.jcfg": """
general: {{ json = "compact", base_path = "/janus", http = true, port = {port}, ip = "{address}", https = false }}
admin: {{ admin_http = false }}
""",
    "janus.plugin.videoroom.jcfg": "",
}


def configure(folder, port, address):
    """Writes a configuration: VideoRoom is the only plugin, HTTP the only transport."""
    folder.mkdir(parents=True, exist_ok=True)
    plugins = [n for n in os.listdir(f"{LIBRARY}/plugins") if n.endswith(".so") and "videoroom" not in n]
    transports = [n for n in os.listdir(f"{LIBRARY}/transports") if n.endswith(".so") and "http" not in n]
    for name, text in CONFIGURATION.items():
        (folder / name).write_text(text.format(folder=folder, library=LIBRARY, port=port, address=address,
                                               others=",".join(plugins), transports=",".join(transports)))


def found():
    return shutil.which("janus") and os.path.isdir(LIBRARY)


class API:
    """Its HTTP API. A handle of VideoRoom is a pair of paths: that of its session, where its events are read, and its own."""

    def __init__(self, url):
        self.url = url

    def ask(self, path, **body):
        data = json.dumps({**body, "transaction": secrets.token_hex(6)}).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=20) as answer:
            said = json.load(answer)
        if said["janus"] == "error":
            raise RuntimeError(f"Janus: {said['error']}")
        return said

    def session(self):
        return f"/{self.ask('', janus='create')['data']['id']}"

    def attach(self, session):
        """Returns a new handle."""
        return session, f"{session}/{self.ask(session, janus='attach', plugin='janus.plugin.videoroom')['data']['id']}"

    def message(self, handle, jsep=None, **body):
        """Returns the plugin's answer: at once, or as the next event that has it."""
        said = self.ask(handle[1], janus="message", body=body, **({"jsep": jsep} if jsep else {}))
        if said["janus"] == "success":
            return said["plugindata"]["data"]
        for _ in range(40):
            with urllib.request.urlopen(f"{self.url}{handle[0]}?maxev=1", timeout=40) as answer:
                event = json.load(answer)
            if event["janus"] == "event" and event.get("transaction") == said["transaction"]:
                data = event["plugindata"]["data"]
                if "error" in data:
                    raise RuntimeError(f"Janus: {data['error']}")
                return {**data, "jsep": event.get("jsep")}
        raise RuntimeError("Janus: no event")


class Janus:
    def __init__(self, bench):
        folder = bench.current / "janus"
        port = free_tcp_port()
        configure(folder, port, RELAY)
        self.process = clients.Process("Janus", [*bench.network.prefix, "janus", "--configs-folder", folder, "--disable-colors"],
                                       bench.current / "janus.log")
        clients.wait_until(lambda: self._listens(port) or not self.process.running, 15, "Janus' HTTP port")
        self._handles, self._feeds = {}, {}
        self.api = API(f"http://{RELAY}:{port}/janus")
        self.session = self.api.session()
        self.api.message(self.api.attach(self.session), request="create", room=ROOM, publishers=20, audiocodec="opus",
                         videocodec="vp8", bitrate=4_000_000, notify_joining=False)

    @staticmethod
    def _listens(port):
        with socket.socket() as s:
            s.settimeout(0.5)
            return s.connect_ex((RELAY, port)) == 0

    def stop(self):
        self.process.stop()

    # MARK: functions for the yardstick

    def publish(self, page, **options):
        made = page.call("publishOffer", **options)
        handle = self.api.attach(self.session)
        joined = self.api.message(handle, request="join", ptype="publisher", room=ROOM)
        self._feeds["last"] = joined["id"]
        answer = self.api.message(handle, {"type": "offer", "sdp": made["sdp"]}, request="configure", audio=True, video=True)
        page.call("publishAnswer", id=made["id"], sdp=answer["jsep"]["sdp"])
        return made["id"]

    def view(self, page):
        handle = self.api.attach(self.session)
        offer = self._join(handle)
        made = page.call("viewOffered", sdp=offer["jsep"]["sdp"])
        self.api.message(handle, {"type": "answer", "sdp": made["sdp"]}, request="start")
        self._handles[made["id"]] = handle
        return made["id"]

    def _join(self, handle, patience=5):
        """Joins a feed, which is possible a moment after its publisher is connected."""
        ends = time.monotonic() + patience
        while True:
            try:
                return self.api.message(handle, request="join", ptype="subscriber", room=ROOM, streams=[{"feed": self._feeds["last"]}])
            except RuntimeError as error:
                if "No such feed" not in str(error) or time.monotonic() > ends:
                    raise
                time.sleep(0.05)

    def leave(self, page, call):
        page.call("drop", id=call)
        self.api.ask(self._handles.pop(call)[1], janus="detach")

    def layer(self, page, call, rid):
        """Requests a layer; returns the wall clock ms of the request."""
        asked = page.call("state", id=call)["now"]
        # Janus treats the first of the offered RIDs as the highest.
        self.api.message(self._handles[call], request="configure", substream="hml".index(rid))
        return asked
