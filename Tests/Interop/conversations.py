"""Conversations of a cluster: users write to each other through several relays, which are killed. Every answered message arrives once, in order."""

import asyncio
import contextlib
import itertools
import random
import time

import websockets
from cluster import Cluster
from messages_client import Client, Refused

USERS = [f"user {number}" for number in range(15)]
# Unanswered messages, as seconds of the rate, above which users wait before they write more.
OPEN_SECONDS = 4
# Errors after which a client sends its request again.
TRANSIENT = ("storageFailed", "unavailable", "rateLimited", "draining")


class TalkingCluster(Cluster):
    """Relays that share conversations in the database of the cluster."""

    def start(self, number):
        self.extra = ["--storage-url", self.database.url, "--limit-user-messages-per-second", 100_000,
                      "--limit-user-requests-per-second", 100_000, "--limit-user-entries-per-second", 1_000_000,
                      "--limit-messages-per-second", 100_000]
        return super().start(number)


class Connection(Client):
    """A user's WebSocket that passes messages on as they arrive."""

    def __init__(self, relay, user, receive):
        super().__init__(relay.port, user)
        self.relay, self._receive = relay, receive

    def on_event(self, message):
        if message["event"] == "messageReceived":
            self._receive(message["data"]["message"])


class Talker:
    """A user that is connected to one relay at a time, and moves to the next one when it is lost. It knows each message by its number."""

    def __init__(self, cluster, name, first):
        self.cluster, self.name, self.at = cluster, name, first
        self.seen, self.faults, self.holes, self.moves, self.unanswered = {}, [], [], 0, {}
        self._newest, self._ids, self._over, self.connection = {}, itertools.count(), False, None
        self._ready = asyncio.Event()

    async def run(self):
        """Keeps the user connected until `stop`."""
        while not self._over:
            # Before the events of the next connection, which can arrive while the missed ones have not been read.
            self.note_holes()
            try:
                connection = Connection(self.cluster.relays[self.at], self.name, self._receive)
                async with connection:
                    self._newest = {}
                    await self._catch_up(connection)
                    self.connection = connection
                    self._ready.set()
                    await asyncio.wait([connection.reader])
            except Refused as error:
                if error.code not in TRANSIENT:
                    self.faults.append(f"{self.name}: {error}")
            except (OSError, ConnectionError, asyncio.TimeoutError, websockets.WebSocketException):
                pass
            self._ready.clear()
            self.connection = None
            if not self._over:
                self.moves += 1
                self.at = (self.at + 1) % len(self.cluster.relays)
                await asyncio.sleep(0.05)

    def _receive(self, message):
        conversation = (message["conversation"]["type"], message["conversation"]["id"])
        number = message["number"]
        if number <= self._newest.get(conversation, 0):
            self.faults.append(f"{self.name} got message {number} of {conversation} after {self._newest[conversation]}")
        self._newest[conversation] = number
        self._know(conversation, number, message["id"])

    def _know(self, conversation, number, message):
        known = self.seen.setdefault(conversation, {}).setdefault(number, message)
        if known != message:
            self.faults.append(f"{self.name} has two messages {number} in {conversation}: {known}, {message}")

    def note_holes(self):
        """Remembers the numbers that are missing. They must be of own messages, whose events the sending connection does not get."""
        for conversation, messages in self.seen.items():
            self.holes += [(conversation, n) for n in range(1, max(messages)) if n not in messages]

    async def _catch_up(self, connection):
        """Reads what was missed while the connection was lost."""
        since = 0
        while True:
            page = await connection.ask("conversationChanges", since=since, count=100)
            for entry in page["conversations"]:
                conversation = (entry["type"], entry["id"])
                known = self.seen.get(conversation, {})
                first = next(n for n in itertools.count(1) if n not in known)
                for message in await connection.pages({"type": entry["type"], "id": entry["id"]}, first - 1):
                    self._know(conversation, message["number"], message["id"])
            if not page["hasMore"]:
                return
            since = page["cursor"]

    async def send(self, conversation):
        """Sends a message until it is answered, through any relay."""
        message = f"{self.name} {next(self._ids)}"
        self.unanswered[message] = conversation
        while not self._over:
            await self._ready.wait()
            connection = self.connection
            if connection is None:
                continue
            try:
                answer = await asyncio.wait_for(connection.ask(
                    "sendMessage", conversation={"type": conversation[0], "id": conversation[1]}, message=message, text=f"text of {message}"), 20)
                self._know(conversation, answer["number"], message)
                del self.unanswered[message]
                return
            except Refused as error:
                if error.code not in TRANSIENT:
                    self.faults.append(f"{self.name}: {error}")
                    return
                await asyncio.sleep(0.2)
            except (OSError, ConnectionError, asyncio.TimeoutError, websockets.WebSocketException):
                await asyncio.sleep(0.05)

    async def stop(self):
        self._over = True
        self._ready.set()
        if self.connection:
            with contextlib.suppress(OSError, asyncio.TimeoutError, websockets.WebSocketException):
                await asyncio.wait_for(self.connection.end(), 2)


def stored(database):
    """Returns the messages of the database: for each thread, id and sender by number; and the numbers of wrong counters."""
    def text(column):
        return f"convert_from({column}, 'UTF8')"
    threads = {}
    for kind, a, b, group, number, client, sender in database.rows(f"""
            SELECT t.kind, {text('a.identity')}, {text('b.identity')}, {text('t.groupID')}, m.number, {text('m.client')},
                {text('s.identity')}
            FROM message m JOIN thread t ON t.id = m.thread JOIN "user" s ON s.id = m.sender
            JOIN "user" a ON a.id = t.a LEFT JOIN "user" b ON b.id = t.b"""):
        conversation = (2, group) if int(kind) == 2 else (0, frozenset((a, b)))
        threads.setdefault(conversation, {})[int(number)] = (client, sender)
    wrong = database.rows("""
        SELECT e."user", e.thread FROM entry e LEFT JOIN message m
        ON m.thread = e.thread AND m.number > e.readThrough AND m.sender <> e."user" WHERE e.joined > 0
        GROUP BY e."user", e.thread HAVING e.unread <> count(m.number)
        UNION ALL SELECT u.id, 0 FROM "user" u LEFT JOIN entry e ON e."user" = u.id AND e.listed = 1 AND e.muted = 0
        GROUP BY u.id HAVING u.unread <> coalesce(sum(e.unread), 0)""")
    return threads, wrong


def compare(talkers, threads):
    """Returns the differences between what users know and the database has."""
    faults, ids = [], [m for messages in threads.values() for m, _ in messages.values()]
    if len(ids) != len(set(ids)):
        faults.append(f"{len(ids) - len(set(ids))} messages are stored twice")
    for conversation, messages in threads.items():
        if sorted(messages) != list(range(1, len(messages) + 1)):
            faults.append(f"numbers of {conversation} have gaps")
    for talker in talkers:
        faults += talker.faults

        def thread(conversation, name=talker.name):
            return threads.get(conversation if conversation[0] == 2 else (0, frozenset((name, conversation[1]))), {})
        for conversation, seen in talker.seen.items():
            there = {number: message for number, (message, _) in thread(conversation).items()}
            if seen != there:
                faults.append(f"{talker.name} knows {len(seen)} messages of {conversation}, of {len(there)}")
        faults += [f"the event of message {number} of {conversation} did not reach {talker.name}" for conversation, number in talker.holes
                   if thread(conversation).get(number, (None, None))[1] != talker.name]
        wanted = sum(1 for conversation in threads if conversation[0] == 2 or talker.name in conversation[1])
        if len(talker.seen) != wanted:
            faults.append(f"{talker.name} knows {len(talker.seen)} conversations of {wanted}")
    return faults


async def talk(case, cluster, report, kills, rate, lives, seed=None):
    """Lets all users write while relays are killed and started again; then compares what each of them knows with the database."""
    dice = random.Random(seed)
    talkers = [Talker(cluster, name, i % len(cluster.relays)) for i, name in enumerate(USERS)]
    runs = [asyncio.create_task(t.run()) for t in talkers]
    while not all(t.connection for t in talkers):
        await asyncio.sleep(0.05)
    group = (await talkers[0].connection.ask("createGroup", name="all", members=USERS))["id"]
    sending, tasks, began = True, set(), time.monotonic()

    async def load():
        due = time.monotonic()
        while sending:
            due += 1 / rate
            await asyncio.sleep(max(0, due - time.monotonic()))
            while len(tasks) > rate * OPEN_SECONDS:
                await asyncio.sleep(0.01)
                due = time.monotonic()
            talker = dice.choice(talkers)
            conversation = (2, group) if dice.random() < 0.05 else (0, dice.choice([u for u in USERS if u != talker.name]))
            task = asyncio.create_task(talker.send(conversation))
            tasks.add(task)
            task.add_done_callback(tasks.discard)
    loader = asyncio.create_task(load())
    for _ in range(kills):
        await asyncio.sleep(dice.uniform(*lives))
        number = dice.randrange(len(cluster.relays))
        await asyncio.to_thread(cluster.relays[number].kill)
        cluster.relays[number] = await asyncio.to_thread(cluster.start, number)
    await asyncio.sleep(dice.uniform(*lives))
    sending = False
    await loader
    seconds = time.monotonic() - began
    deadline = time.monotonic() + 60
    while (tasks or not all(t.connection for t in talkers)) and time.monotonic() < deadline:
        await asyncio.sleep(0.1)
    report(case, "all messages were answered", not any(t.unanswered for t in talkers),
           open=sum(len(t.unanswered) for t in talkers))
    # Events of the last commits are under way.
    for _ in range(50):
        threads, wrong = await asyncio.to_thread(stored, cluster.database)
        faults = compare(talkers, threads)
        if not faults:
            break
        await asyncio.sleep(0.2)
    for talker in talkers:
        talker.note_holes()
    faults = compare(talkers, threads)
    (cluster.folder / "faults.txt").write_text("\n".join(faults))
    messages = sum(len(m) for m in threads.values())
    report(case, "every message is stored once and arrives at all its users in order, through all relays", not faults,
           kills=kills, messages=messages, per_second=round(messages / seconds), moves=sum(t.moves for t in talkers),
           faults=len(faults), first_fault=faults[0] if faults else "none")
    report(case, "unread counters are right", not wrong, wrong=wrong[:3])
    totals = []
    for talker in talkers[:3]:
        conversations, total = await talker.connection.conversations()
        others = sum(1 for conversation, thread in threads.items() if conversation[0] == 2 or talker.name in conversation[1]
                     for _, sender in thread.values() if sender != talker.name)
        totals.append((total, sum(c["unread"] for c in conversations), others))
    report(case, "users are told the right totals", all(len(set(t)) == 1 for t in totals), totals=totals)
    report(case, "the load was one", messages > rate * seconds * 0.4, rate=rate, seconds=round(seconds))
    for talker in talkers:
        await talker.stop()
    await asyncio.wait_for(asyncio.gather(*runs, return_exceptions=True), 10)


async def short(case, cluster, report):
    """Two kills under 100 messages a second."""
    await talk(case, cluster, report, kills=2, rate=100, lives=(1, 2))


async def long(case, cluster, report):
    """A hundred kills under 500 messages a second."""
    await talk(case, cluster, report, kills=100, rate=500, lives=(0.3, 2.5))


CASES = {"conversations": short}
LONG = {"conversations with many kills": long}
ALL = {**CASES, **LONG}
