#!/usr/bin/env python3
"""Conversations on disk: a relay under load is killed repeatedly, at any moment. Every answered message is stored, once.

    python3 Tests/Interop/run_messages.py --relay .build/release/millrace --kills 100

Needs tools/setup to have run; uses the Python of .venv. Status: 0 all passed, 1 something failed, 2 bad usage.
"""

import argparse
import asyncio
import json
import os
import pathlib
import random
import shutil
import sqlite3
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
try:
    import websockets  # noqa: F401
except ImportError:
    PYTHON = ROOT / ".venv/bin/python"
    if not PYTHON.exists() or sys.executable == str(PYTHON):
        sys.exit("websockets is missing: run tools/setup")
    os.execv(PYTHON, [str(PYTHON), *sys.argv])

import clients  # noqa: E402
from messages_client import APP, SECRET, Client, Refused  # noqa: E402
from relay import Relay  # noqa: E402
from run import Reporter  # noqa: E402

USERS = [f"user {number}" for number in range(20)]
CASE = "messages: killed at any moment"


class Ledger:
    """Sent messages, and the relay's answers."""

    def __init__(self):
        self.sent = {}
        self.acknowledged = {}

    def new(self, sender, conversation):
        message = f"{sender} {len(self.sent)}"
        self.sent[message] = (sender, conversation, f"text of {message}")
        return message

    @property
    def open(self):
        return [m for m in self.sent if m not in self.acknowledged]


def start(binary, folder, number):
    return Relay(binary, folder, name=f"relay-{number}", extra=[
        "--apps", f"{APP}:{SECRET}", "--storage-directory", folder / "store", "--limit-user-messages-per-second", 100_000,
        "--limit-user-requests-per-second", 100_000, "--limit-messages-per-second", 100_000, "--storage-required",
        "--drain-minimum-seconds", 0])


async def submit(client, ledger, message):
    _, conversation, text = ledger.sent[message]
    answer = await client.ask("sendMessage", conversation=conversation, message=message, text=text)
    known = ledger.acknowledged.setdefault(message, answer)
    assert known == answer, f"{message}: answered {answer}, and {known} before"


async def talk(client, ledger, group, interval, dice):
    """Sends until the relay ends; reads at times, so that unread counts change. Does not wait for answers before sending on."""
    pending, wrong = set(), []

    def over(task):
        pending.discard(task)
        if task.exception() and not isinstance(task.exception(), ConnectionError):
            wrong.append(task.exception())
    try:
        while True:
            peer = dice.choice([u for u in USERS if u != client.user])
            conversation = {"type": 2, "id": group} if dice.random() < 0.1 else {"type": 0, "id": peer}
            task = asyncio.create_task(submit(client, ledger, ledger.new(client.user, conversation)))
            pending.add(task)
            task.add_done_callback(over)
            if dice.random() < 0.05:
                try:
                    await client.ask("clearUnread", conversation=conversation)
                except Refused as error:
                    assert error.code == "unknownConversation", error
            await asyncio.sleep(interval)
    except ConnectionError:
        pass
    await asyncio.gather(*pending, return_exceptions=True)
    if wrong:
        raise wrong[0]


async def load(relay, ledger, group, rate, seconds, dice):
    """Lets all users send until the relay is killed."""
    async def user(name):
        async with Client(relay.port, name) as client:
            await talk(client, ledger, group, len(USERS) / rate, dice)
    tasks = [asyncio.create_task(user(name)) for name in USERS]
    await asyncio.sleep(seconds)
    relay.kill()
    for result in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(result, Exception) and not isinstance(result, (ConnectionError, OSError, websockets.WebSocketException)):
            raise result


def check_database(path, ledger):
    """Returns the faults of the store itself; empty if there are none."""
    faults = []
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        def rows(sql):
            return db.execute(sql).fetchall()
        if rows("PRAGMA integrity_check") != [("ok",)]:
            faults.append("PRAGMA integrity_check")
        stored = {}
        for message, text, number, moment in rows("SELECT client, text, number, time FROM message"):
            if message in stored:
                faults.append(f"{message} is there twice")
            stored[message] = (text.decode(), number, moment)
        for message, answer in ledger.acknowledged.items():
            if message not in stored:
                faults.append(f"{message} was answered and is lost")
            elif stored[message] != (ledger.sent[message][2], answer["number"], answer["time"]):
                faults.append(f"{message} is {stored[message]}, and was answered {answer}")
        faults += [f"{message} was never sent" for message in stored if message not in ledger.sent]
        wrong = rows("""SELECT e.user, e.thread, e.unread, count(m.number) AS n FROM entry e LEFT JOIN message m
            ON m.thread = e.thread AND m.number > e.readThrough AND m.sender <> e.user WHERE e.joined > 0
            GROUP BY e.user, e.thread HAVING e.unread <> n""")
        faults += [f"unread of {row}" for row in wrong]
        wrong = rows("""SELECT u.identity, u.unread, total(e.unread) AS n FROM user u LEFT JOIN entry e
            ON e.user = u.id AND e.listed = 1 AND e.muted = 0 GROUP BY u.id HAVING u.unread <> n""")
        faults += [f"total of {row}" for row in wrong]
        wrong = rows("""SELECT t.id, t.lastNumber, count(m.number), max(m.number) FROM thread t JOIN message m
            ON m.thread = t.id GROUP BY t.id HAVING t.lastNumber <> count(m.number) OR t.lastNumber <> max(m.number)""")
        faults += [f"numbers of thread {row}" for row in wrong]
    return faults, len(stored)


async def check_relay(relay, ledger, fresh, dice):
    """Checks what users read: messages of the last round, lists and totals; then sends unanswered messages again."""
    faults = []
    for name in dice.sample(USERS, 5):
        async with Client(relay.port, name) as client:
            conversations, total = await client.conversations()
            if total != sum(c["unread"] for c in conversations):
                faults.append(f"{name} has {total} unread messages in all, and {sum(c['unread'] for c in conversations)}")
            if [c["order"] for c in conversations] != sorted((c["order"] for c in conversations), reverse=True):
                faults.append(f"the list of {name} is not in order")
            wanted = {}
            for message in fresh:
                sender, conversation, _ = ledger.sent[message]
                if sender == name:
                    wanted.setdefault((conversation["type"], conversation["id"]), []).append(message)
            for (kind, target), messages in wanted.items():
                first = min(ledger.acknowledged[m]["number"] for m in messages) - 1
                seen = [m["id"] for m in await client.pages({"type": kind, "id": target}, first)]
                faults += [f"{name} sees {m} {seen.count(m)} times" for m in messages if seen.count(m) != 1]
    again = ledger.open + dice.sample(fresh, min(20, len(fresh)))
    for name in USERS:
        own = [m for m in again if ledger.sent[m][0] == name]
        if own:
            async with Client(relay.port, name) as client:
                await asyncio.gather(*(submit(client, ledger, m) for m in own))
    return faults


async def run(arguments, reporter):
    folder = pathlib.Path(arguments.work).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    dice, ledger, group, faults = random.Random(arguments.seed), Ledger(), None, []
    stored = 0
    started = time.monotonic()
    for kill in range(1, arguments.kills + 1):
        relay = start(arguments.relay, folder, "load")
        if group is None:
            async with Client(relay.port, USERS[0]) as client:
                group = (await client.ask("createGroup", name="all", members=USERS))["id"]
        before = set(ledger.acknowledged)
        await load(relay, ledger, group, arguments.rate, dice.uniform(0.3, arguments.seconds), dice)
        fresh = [m for m in ledger.acknowledged if m not in before]
        unanswered = len(ledger.open)
        relay = start(arguments.relay, folder, "check")
        try:
            wrong, stored = check_database(folder / "store/messages.sqlite", ledger)
            wrong += await check_relay(relay, ledger, fresh, dice)
        finally:
            relay.stop()
        faults += [f"kill {kill}: {fault}" for fault in wrong]
        if wrong or kill % 10 == 0 or kill == arguments.kills:
            reporter.progress(f"kill {kill}: {stored} messages stored, {len(fresh)} answered and {unanswered} unanswered "
                              f"in this round, {len(wrong)} faults")
        if len(faults) > 20:
            break
    wrong, stored = check_database(folder / "store/messages.sqlite", ledger)
    faults += wrong
    (folder / "faults.txt").write_text("\n".join(faults))
    reporter.check(CASE, "every answered message is stored, once, and all counts are right", not faults, kills=kill, stored=stored,
                   answered=len(ledger.acknowledged), first_fault=faults[0] if faults else "none")
    reporter.check(CASE, "all that was sent again was answered", not ledger.open, open=len(ledger.open))
    reporter.check(CASE, "the load was one", stored > kill * arguments.rate * 0.2, rate=arguments.rate,
                   seconds=round(time.monotonic() - started))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--relay", metavar="PATH", required=True, help="the millrace binary")
    parser.add_argument("--kills", type=int, default=5, metavar="N", help="how often the relay is killed (default 5)")
    parser.add_argument("--rate", type=int, default=500, metavar="N", help="messages a second (default 500)")
    parser.add_argument("--seconds", type=float, default=2.5, metavar="N", help="longest life of a relay (default 2.5)")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32), metavar="N")
    parser.add_argument("--json", metavar="FILE", help="results as JSON")
    parser.add_argument("--work", default="out/messages", metavar="DIR", help="artefacts (default out/messages)")
    arguments = parser.parse_args()
    if not os.access(arguments.relay, os.X_OK):
        parser.error("name the relay's binary (--relay)")
    arguments.relay = pathlib.Path(arguments.relay).resolve()
    clients.end_on_termination()
    reporter = Reporter()
    print(f"    seed {arguments.seed}", flush=True)
    asyncio.run(run(arguments, reporter))
    counted, failed, _ = reporter.outcome()
    reporter.summary(1)
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps({"results": counted, "seed": arguments.seed}, indent=1))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
