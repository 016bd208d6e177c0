"""A cluster of relays with its database, and clients of the control protocol that return after they lose their relay."""

import asyncio
import json
import time

import websockets
from messages_client import APP, SECRET, Refused, token
from postgres import Database
from relay import Relay, RelayError, free_tcp_port

# Times of a cluster with default values: a lease, and the longest way to the next answer.
LEASE, MARGIN = 5, 1.5


def cluster_options(database, number, address="127.0.0.1"):
    """Returns the options of a relay of the cluster of this database."""
    return ["--cluster-url", database.url, "--cluster-id", f"relay{number}", "--cluster-link", f"{address}:{free_tcp_port()}",
            "--cluster-listen-address", address]


class Cluster:
    def __init__(self, binary, folder, count=3, extra=()):
        self.binary, self.folder, self.extra = binary, folder, list(extra)
        self.database = Database(folder / "database", **self.arguments(None))
        self.relays = []
        try:
            for number in range(count):
                self.relays.append(self.start(number))
        except Exception:
            self.stop()
            raise

    def arguments(self, number):
        """Returns arguments of `Relay`, or of `Database` for None, about where it runs. By default: on this host."""
        return {}

    def start(self, number):
        arguments = self.arguments(number)
        relay = Relay(self.binary, self.folder, name=f"relay-{number}", **arguments, extra=[
            "--apps", f"{APP}:{SECRET}", *cluster_options(self.database, number, arguments.get("address", "127.0.0.1")),
            "--drain-minimum-seconds", "0", "--drain-seconds", "1", *self.extra])
        relay.id = f"relay{number}"
        return relay

    def stop(self):
        for relay in self.relays:
            relay.stop()
        self.database.stop()

    def listing(self, relay=None):
        return json.loads((relay or self.relays[0]).request("GET", "/v1/admin/cluster")[0])

    def home(self, session, relay=None):
        """Returns the relay that runs a session; None if there is no such session."""
        for entry in self.listing(relay)["sessions"]:
            if entry["name"] == session:
                return next(r for r in self.relays if r.id == entry["relay"])
        return None

    async def wait_until_members(self, count):
        """Waits until all relays know each other."""
        for relay in self.relays:
            while len([r for r in self.listing(relay)["relays"] if r["isAlive"]]) < count:
                await asyncio.sleep(0.1)
        # The other relays know a relay's certificate after their next heartbeat.
        await asyncio.sleep(1.2)


async def enter(stack, cluster, session, count, first=0):
    """Lets members enter a session through the relays in turn."""
    return [await stack.enter_async_context(Member(cluster.relays, (first + i) % len(cluster.relays), session, f"{session} {i}"))
            for i in range(count)]


async def until(condition, seconds):
    """Returns the seconds until a condition holds; None if it does not within the time."""
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        try:
            if condition():
                return time.monotonic() - began
        except (RelayError, OSError):
            pass
        await asyncio.sleep(0.05)
    return None


class Member:
    """One participant, through one relay at a time. It resumes or joins again after its connection is lost, through the next relay."""

    def __init__(self, relays, first, session, name, password=None):
        self.relays, self.at, self.session, self.name, self.password = relays, first, session, name, password
        # The token stays the same, as a user's does. Relays whose clocks are late refuse tokens of the future.
        self.token = token(name, session, role_type=1, iat=int(time.time()) - 900)
        self.joined, self.resume_token, self.last_event = None, None, 0
        self.events, self.joins, self.resumes, self.snapshots, self.refusals = [], 0, 0, 0, []
        self.lost_at, self.back_after = None, []
        self._id, self._waiting, self._over = 0, {}, False

    async def __aenter__(self):
        await self._enter()
        self._keeper = asyncio.create_task(self._keep())
        return self

    async def __aexit__(self, *_):
        self._over = True
        self._keeper.cancel()
        try:
            await asyncio.wait_for(self._socket.close(1000), 2)
        except (OSError, asyncio.TimeoutError, websockets.WebSocketException):
            pass

    @property
    def relay(self):
        return self.relays[self.at]

    @property
    def is_up(self):
        return self.lost_at is None

    async def _enter(self):
        """Connects and enters once. Raises if that fails."""
        self._socket = await asyncio.wait_for(websockets.connect(
            f"ws://{self.relay.address}:{self.relay.port}/v1/connect", subprotocols=["millrace.v1"], max_size=16 << 20, compression=None,
            ping_interval=None), 3)
        self._reader = asyncio.create_task(self._read(self._socket))
        try:
            await self._resume_or_join()
        except Exception:
            # A relay limits the sockets of an address that have not joined.
            self._socket.transport.abort()
            raise

    async def _resume_or_join(self):
        if self.resume_token:
            try:
                answer = await self.ask("resume", version=1, resumeToken=self.resume_token, lastEvent=self.last_event,
                                        snapshots=True)
                self.resumes += 1
                if "snapshot" in answer:
                    self.snapshots += 1
                    self.joined = answer["snapshot"]
                return
            except Refused as error:
                if error.code not in ("resumeExpired", "resumeGap"):
                    raise
                self.resume_token, self.last_event = None, 0
        secret = {"password": self.password} if self.password else {}
        self.joined = await self.ask("join", version=1, session=self.session, name=self.name,
                                     token=self.token, **secret)
        self.resume_token, self.last_event = self.joined["resumeToken"], 0
        self.joins += 1

    async def _keep(self):
        """Returns through the next relay whenever the connection is lost."""
        while not self._over:
            await asyncio.wait([self._reader])
            self.lost_at = time.monotonic()
            while True:
                self.at = (self.at + 1) % len(self.relays)
                try:
                    await self._enter()
                    break
                except Refused as error:
                    self.refusals.append(error.code)
                except (OSError, ConnectionError, asyncio.TimeoutError, websockets.WebSocketException):
                    pass
                await asyncio.sleep(0.3)
            self.back_after.append(time.monotonic() - self.lost_at)
            self.lost_at = None

    async def _read(self, socket):
        try:
            async for text in socket:
                message = json.loads(text)
                if "id" not in message:
                    self.last_event = message["seq"] or self.last_event
                    self.events.append(message)
                    continue
                if "snapshot" in (message.get("result") or {}):
                    self.last_event = 0
                waiting = self._waiting.pop(message["id"], None)
                if waiting and not waiting.done():
                    waiting.set_result(message)
        except (OSError, websockets.WebSocketException):
            pass
        finally:
            waiting, self._waiting = self._waiting, {}
            for future in waiting.values():
                if not future.done():
                    future.set_exception(ConnectionError("the relay is gone"))

    async def ask(self, method, **parameters):
        """Returns the result; raises `Refused` for an error, `ConnectionError` if the connection ends before the answer."""
        if self._reader.done():
            raise ConnectionError("the relay is gone")
        self._id += 1
        number, waiting = self._id, asyncio.get_running_loop().create_future()
        self._waiting[number] = waiting
        try:
            await self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
            message = await asyncio.wait_for(waiting, 15)
        except websockets.WebSocketException as error:
            self._waiting.pop(number, None)
            if waiting.done():
                waiting.exception()
            raise ConnectionError(str(error)) from None
        if "error" in message:
            raise Refused(message["error"])
        return message["result"]

    def signals(self):
        """Data of the received signals."""
        return [e["data"]["data"] for e in self.events if e["event"] == "signal"]
