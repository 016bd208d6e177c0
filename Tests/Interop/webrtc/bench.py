"""Environment of a case: relays, clients, a network; and their clean-up."""

import itertools
import json

import pathlib
import re
import shutil

import clients
from relay import Relay, RelayError
from webrtc import chromium, firefox
from webrtc.aiortc_client import Aiortc
from webrtc.devtools import PageServer
from webrtc.network import CLIENT, RELAY, Network

class Skip(Exception):
    """This machine lacks something that the case needs."""

class WebRTCRelay(Relay):
    """A relay with its WebRTC endpoints. It ends at once, because clients stay until the end of their case."""

    def __init__(self, *arguments, extra=(), **options):
        super().__init__(*arguments, extra=[*extra, "--drain-seconds", "0"], **options)

    def whip(self, session, stream="cam1"):
        return f"{self.url}/whip/{session}?stream={stream}"

    def whep(self, session, stream="cam1"):
        return f"{self.url}/whep/{session}/{stream}"

    def has_stream(self, session, stream="cam1"):
        """Returns whether the stream is published and its media has reached the relay."""
        try:
            streams = json.loads(self.request("GET", f"/v1/sessions/{session}/streams")[0])
        except RelayError:
            return False
        return stream in json.dumps(streams)

    def memory(self):
        """Returns the resident bytes."""
        for line in pathlib.Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
        return 0

class Bench:
    def __init__(self, arguments, reporter):
        self.binary = arguments.relay and pathlib.Path(arguments.relay).resolve()
        self.older = arguments.older and pathlib.Path(arguments.older).resolve()
        self.work = pathlib.Path(arguments.work).resolve()
        self.long, self.fault, self.reporter = arguments.long, arguments.fault, reporter
        self.seconds = arguments.duration
        self.network = Network()
        self._browsers, self._open, self._page = {}, [], None
        self._names = itertools.count(1)

    def folder(self, name):
        folder = self.work / "".join(c if c.isalnum() else "-" for c in name)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.current = folder
        return folder

    def need(self, condition, what):
        if not condition:
            raise Skip(what)

    def need_network(self, filters=False):
        self.need(self.network.inside, "a network namespace")
        self.need(not filters or self.network.filters, "nftables")

    # MARK: objects of one case

    def relay(self, apart=False, address=None, port=None, webrtc_port=None, extra=(), name="relay", admin_token=None,
              is_older=False):
        """Starts a relay on loopback, or `apart` in a separate namespace. `is_older`: of the earlier version."""
        if apart:
            self.need_network()
            address = address or RELAY
        # An address of this machine other than 127.0.0.1, with which Firefox pairs no candidate.
        address = address or (CLIENT if self.network.inside else "127.0.0.1")
        # The test page has another origin than the relay.
        self._page = self._page or PageServer()
        extra = ["--http-cors-origin", self._page.origin, *extra]
        relay = WebRTCRelay(self.older if is_older else self.binary, self.current, extra=extra, name=name, address=address, port=port, webrtc_port=webrtc_port,
                            prefix=self.network.prefix if apart else (), admin_token=admin_token,
                            environment={"MILLRACE_FAULT": self.fault} if self.fault else None)
        self._open.append(relay)
        return relay

    def client(self, kind):
        """Returns a client; aiortc and libwebrtc: a process; a browser: a page of the one that all cases share."""
        if kind in ("aiortc", "libwebrtc"):
            client = Aiortc(self.current, f"{kind}-{next(self._names)}", kind)
        else:
            client = self._browser(kind).page()
        self._open.append(client)
        return client

    def visit(self, kind, url):
        """Opens a page of the relay in a browser that all cases share."""
        page = self._browser(kind).visit(url)
        self._open.append(page)
        return page

    def explain(self, client, call):
        """Prints the state of the relays and of the client after a failure."""
        for relay in [thing for thing in self._open if isinstance(thing, WebRTCRelay) and thing.process.running]:
            said = {name.removeprefix("millrace_"): int(value) for name, value in relay.metrics().items()
                    if value and re.search("paused|dropped_total|probe|retransmitted|key_frame|peers|estimate|switch", name)}
            self.reporter.progress(f"relay: {', '.join(f'{k} {v}' for k, v in said.items())}")
        if client.kind != "aiortc":
            wanted = ("packetsReceived", "packetsLost", "nackCount", "pliCount", "framesReceived", "framesDecoded", "keyFramesDecoded",
                      "framesDropped", "freezeCount", "frameHeight")
            for stats in client.call("stats", id=call):
                if stats["type"] == "inbound-rtp" and stats.get("kind") == "video":
                    self.reporter.progress(f"{client.kind}: {', '.join(f'{k} {stats.get(k)}' for k in wanted)}")

    def keep(self, thing):
        """Registers an object that is stopped when the case ends."""
        self._open.append(thing)
        return thing

    def end_case(self):
        while self._open:
            try:
                self._open.pop().stop()
            except Exception as error:  # one that fails to end must not prevent the others from ending
                self.reporter.progress(f"at the end of the case: {type(error).__name__}: {error}")
        self.network.clear()

    # MARK: objects of the whole run

    def _browser(self, kind):
        module, make = {"chromium": (chromium, chromium.Chromium), "firefox": (firefox, firefox.Firefox)}[kind]
        self.need(module.found(), kind)
        if kind in self._browsers and not self._browsers[kind].process.running:
            del self._browsers[kind]
        if kind not in self._browsers:
            self._page = self._page or PageServer()
            folder = self.work / "browsers"
            folder.mkdir(parents=True, exist_ok=True)
            self._browsers[kind] = make(folder, self._page.url)
        return self._browsers[kind]

    def stop(self):
        self.end_case()
        for browser in self._browsers.values():
            browser.stop()
        if self._page:
            self._page.stop()
        self.network.stop()
