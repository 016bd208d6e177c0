#!/usr/bin/env python3
"""Three relays and one PostgreSQL database, as processes: any relay takes any client, and the relay that runs a session is killed. Long runs:
times to join, relays that are stopped, a database that is killed, networks that are cut, and a hundred kills under conversations.

    python3 Tests/Interop/run_cluster.py --relay .build/release/millrace
    python3 Tests/Interop/run_cluster.py --relay .build/debug/millrace --long --only "cut off"

Needs tools/setup to have run; uses the Python of .venv. Status: 0 all passed, 1 something failed, 2 bad usage.
"""

import argparse
import asyncio
import contextlib
import functools
import json
import os
import pathlib
import shutil
import signal
import sys
import time
import traceback

ROOT = pathlib.Path(__file__).resolve().parents[2]
try:
    import websockets  # noqa: F401
except ImportError:
    PYTHON = ROOT / ".venv/bin/python"
    if not PYTHON.exists() or sys.executable == str(PYTHON):
        sys.exit("websockets is missing: run tools/setup")
    os.execv(PYTHON, [str(PYTHON), *sys.argv])

import clients  # noqa: E402
import clocks  # noqa: E402
import clusternet  # noqa: E402
import conversations  # noqa: E402
import partitions  # noqa: E402
import postgres  # noqa: E402
import takeovers  # noqa: E402
import versions  # noqa: E402
from cluster import LEASE, MARGIN, Cluster, Member, enter, until  # noqa: E402
from messages_client import Refused  # noqa: E402
from relay import RelayError  # noqa: E402
from run import Reporter  # noqa: E402
from webrtc import network  # noqa: E402


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


async def spread(case, cluster, report):
    """Clients of one session through three relays: all see each other, signals and moderation reach all, and nothing remains."""
    async with contextlib.AsyncExitStack() as stack:
        members = await enter(stack, cluster, "spread", 12)
        sessions = {m.joined["session"] for m in members}
        report(case, "twelve clients through three relays are in one session", len(sessions) == 1, sessions=len(sessions))
        users = json.loads(cluster.relays[2].request("GET", "/v1/admin/sessions/spread/participants")[0])["participants"]
        report(case, "every relay lists all participants", len(users) == 12, users=len(users))
        for member in members:
            await member.ask("signal", type="test", data=member.name)
        everyone = sorted(m.name for m in members)
        seconds = await until(lambda: all(sorted(set(m.signals()) | {m.name}) == everyone for m in members), 5)
        report(case, "each signal reaches all other clients", seconds is not None,
               received=sorted({len(m.signals()) for m in members}))
        moved = [e for m in members for e in m.events if e["seq"] == 0]
        report(case, "events have consecutive numbers at each client", not moved and all(
            [e["seq"] for e in m.events] == list(range(1, len(m.events) + 1)) for m in members))
        cluster.relays[1].request("PUT", "/v1/admin/sessions/spread/mute-all", {"muted": True})
        seconds = await until(lambda: all(any("orceMute" in e["event"] or "mute" in e["event"].lower() for e in m.events)
                                          for m in members), 5)
        report(case, "a moderation through another relay reaches all", seconds is not None)
        home = cluster.home("spread")
        report(case, "the session is at the relay of its first client", home is cluster.relays[0], home=home and home.id)
        report(case, "another relay refuses a wrong admin path as the home relay does",
               status_of(cluster.relays[1], "/v1/admin/sessions/spread/participants/nobody") == 404)
    seconds = await until(lambda: cluster.home("spread") is None, 40)
    report(case, "the session's row goes with its last client", seconds is not None, seconds=seconds and round(seconds, 1))


def status_of(relay, path):
    try:
        relay.request("GET", path)
        return 200
    except RelayError as error:
        return error.status


async def edges(case, cluster, report, count=300):
    """Joins through the home relay and through another one: their times, and the database's work for them."""
    times = {"home": [], "edge": []}
    async with contextlib.AsyncExitStack() as stack:
        await enter(stack, cluster, "edges", 1)
        for number in range(count):
            for role, relay in (("home", 0), ("edge", 1)):
                began = time.monotonic()
                async with Member(cluster.relays, relay, "edges", f"{role} {number}"):
                    times[role].append(time.monotonic() - began)
    ms = {role: [round(quantile(v, share) * 1e3, 1) for share in (0.5, 0.99)] for role, v in times.items()}
    report(case, "the 99th percentile of joins through another relay is at most twice that at the home relay",
           len(times["edge"]) == count and ms["edge"][1] <= 2 * ms["home"][1], p50_p99_ms=ms)
    for kind, relay, session in (("at the home relay", 0, "edges"), ("at another relay", 1, "edges"), ("that begin a session", 0, None)):
        statements = await statements_per_join(cluster, relay, session)
        report(case, f"joins {kind}: at most 10 statements of each reach the database", statements <= 10, statements=round(statements, 2))


async def statements_per_join(cluster, relay, session, count=100):
    """Lets clients join a session, or (None) one of their own each, and leave."""
    async with contextlib.AsyncExitStack() as stack:
        await enter(stack, cluster, session or "others", 1)
        idle = await executed(cluster, asyncio.sleep(2))
        began = time.monotonic()

        async def joins():
            for number in range(count):
                async with Member(cluster.relays, relay, session or f"own-{number}", f"guest {number}"):
                    pass
        total = await executed(cluster, joins())
        return (total - idle / 2 * (time.monotonic() - began)) / count


async def executed(cluster, work):
    """Returns the number of statements that the database executes while something is done."""
    before = sum((await asyncio.to_thread(cluster.database.count_statements)).values())
    await work
    return sum((await asyncio.to_thread(cluster.database.count_statements)).values()) - before


async def killed(case, cluster, report):
    """kill -9 of the home relay: its clients and those of the other relays are in one session again, at another relay."""
    async with contextlib.AsyncExitStack() as stack:
        members = await enter(stack, cluster, "killed", 9)
        home = cluster.home("killed", cluster.relays[1])
        report(case, "the session is at the first relay", home is cluster.relays[0])
        began = time.monotonic()
        home.kill()
        seconds = await until(lambda: all(m.is_up and m.back_after for m in members), 30)
        worst = max((m.back_after[-1] for m in members if m.back_after), default=None)
        report(case, f"all clients are back within {LEASE + MARGIN} s", seconds is not None and worst <= LEASE + MARGIN + 1,
               seconds=worst and round(worst, 1), refusals=sorted({r for m in members for r in m.refusals}))
        home = cluster.home("killed", cluster.relays[1])
        report(case, "one of the other relays runs the session", home in cluster.relays[1:], home=home and home.id)
        sessions = {m.joined["session"] for m in members}
        users = json.loads(cluster.relays[2].request("GET", "/v1/admin/sessions/killed/participants")[0])["participants"]
        report(case, "all are in one session", len(sessions) == 1 and len(users) >= 9, sessions=len(sessions), users=len(users))
        for member in members:
            await member.ask("signal", type="test", data=member.name)
        seconds = await until(lambda: all(len(set(m.signals())) >= 8 for m in members), 5)
        report(case, "signals reach all again", seconds is not None, seconds_since_kill=round(time.monotonic() - began, 1))
        cluster.relays[0] = cluster.start(0)
        await cluster.wait_until_members(3)
        late = await stack.enter_async_context(Member(cluster.relays, 0, "killed", "late"))
        report(case, "the relay that was started again takes clients of the session", late.joined["session"] in sessions)


async def stopped(case, cluster, report):
    """SIGSTOP of the home relay for longer than its lease: another relay runs the session, and the first one gives it up."""
    async with contextlib.AsyncExitStack() as stack:
        members = await enter(stack, cluster, "stopped", 6)
        home = cluster.home("stopped", cluster.relays[1])
        os.kill(home.pid, signal.SIGSTOP)
        try:
            others = [m for m in members if m.relay is not home]
            seconds = await until(lambda: all(m.is_up and m.back_after for m in others), 30)
            report(case, "clients of the other relays are back", seconds is not None, seconds=seconds and round(seconds, 1))
            new = cluster.home("stopped", cluster.relays[1])
            report(case, "another relay runs the session", new is not None and new is not home, home=new and new.id)
        finally:
            os.kill(home.pid, signal.SIGCONT)
        seconds = await until(lambda: all(m.is_up and m.back_after for m in members), 20)
        report(case, "the first relay's clients are led to the other one", seconds is not None,
               seconds=seconds and round(seconds, 1), relays=[m.relay.id for m in members])
        users = json.loads(new.request("GET", "/v1/admin/sessions/stopped/participants")[0])["participants"]
        names = sorted(u["name"] for u in users)
        report(case, "all are in one session", set(names) == {m.name for m in members}, names=names)
        value = home.metrics().get("millrace_cluster_superseded_total")
        report(case, "the first relay has given the session up", value is not None and value >= 1, superseded=value)


async def without_store(case, cluster, report):
    """The database is killed: known sessions go on and take clients, new ones wait, and all is as before when it is back."""
    async with contextlib.AsyncExitStack() as stack:
        members = await enter(stack, cluster, "store", 6)
        cluster.database.kill()
        await asyncio.sleep(LEASE + 2)
        report(case, "no client was cut", all(m.is_up and not m.back_after for m in members))
        for member in members:
            await member.ask("signal", type="test", data=member.name)
        seconds = await until(lambda: all(len(m.signals()) >= 5 for m in members), 5)
        report(case, "signals reach all clients", seconds is not None)
        late = [await stack.enter_async_context(Member(cluster.relays, relay, "store", f"late {relay}")) for relay in range(3)]
        report(case, "the session takes clients through every relay", {m.joined["session"] for m in late} ==
               {m.joined["session"] for m in members})
        codes = []
        try:
            async with Member(cluster.relays, 1, "new", "nobody"):
                pass
        except Refused as error:
            codes.append(error.code)
        report(case, "a new session is refused as unavailable", codes == ["unavailable"], codes=codes)
        cluster.database.start()

        async def begins():
            try:
                async with Member(cluster.relays, 1, "new", "somebody"):
                    return True
            except Refused:
                return False
        began = time.monotonic()
        while not await begins() and time.monotonic() - began < 15:
            await asyncio.sleep(0.2)
        report(case, "a new session begins when the database is back", time.monotonic() - began < 15,
               seconds=round(time.monotonic() - began, 1))
        await asyncio.sleep(2)
        report(case, "still no client was cut", all(m.is_up and not m.back_after for m in members + late))


CASES = {"any relay": spread, "home relay killed": killed, **takeovers.CASES, **conversations.CASES}
LONG = {"edges": edges, "home relay stopped": stopped, "database killed": without_store, **takeovers.LONG, **clocks.ALL,
        **partitions.ALL, **conversations.LONG, **versions.CASES}


async def run_case(name, case, make, reporter):
    """Runs a case with a cluster of its own. An exception is a failure of the case, and does not end the run."""
    cluster = None
    try:
        cluster = make()
        await cluster.wait_until_members(3)
        await case(name, cluster, reporter.check)
    except Exception as error:
        reporter.check(name, f"{type(error).__name__}: {error}", False)
        traceback.print_exc(limit=-2)
    finally:
        if cluster:
            cluster.stop()


def wanted(arguments):
    """Returns the cases that the arguments select, by name."""
    every = {**CASES, **(LONG if arguments.long else {})}
    return {name: case for name, case in every.items() if not arguments.only or arguments.only in name}


def run(arguments, reporter):
    ran = 0
    missing = clusternet.absent()
    for name, case in wanted(arguments).items():
        is_separated = name in partitions.ALL
        if is_separated and missing:
            reporter.skip(f"cluster: {name}", missing)
            continue
        if name in versions.CASES and not arguments.older:
            reporter.skip(f"cluster: {name}", "needs --older PATH")
            continue
        ran += 1
        kind = (functools.partial(versions.MixedCluster, older=arguments.older, newer=versions.NEWER[name]) if name in versions.CASES
                else clusternet.SeparatedCluster if is_separated else clocks.ShiftedCluster if name in clocks.ALL
                else conversations.TalkingCluster if name in conversations.ALL else Cluster)
        name = f"cluster: {name}"
        folder = pathlib.Path(arguments.work).resolve() / name.replace(" ", "-").replace(":", "")

        def make(kind=kind, folder=folder):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            return kind(arguments.relay, folder)

        def attempt(name=name, case=case, make=make):
            asyncio.run(run_case(name, case, make, reporter))
        reporter.attempts(name, attempt, arguments.retries)
    return ran


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--relay", metavar="PATH", help="the millrace binary")
    parser.add_argument("--older", metavar="PATH", help="the binary of an earlier version, for the cases of upgrades")
    parser.add_argument("--long", action="store_true", help="also the slow cases, and those in which networks are cut (namespaces)")
    parser.add_argument("--only", metavar="TEXT", help="only cases whose name has this text")
    parser.add_argument("--retries", type=int, default=0, metavar="N", help="runs of a case that failed, at most N more")
    parser.add_argument("--json", metavar="FILE", help="results as JSON")
    parser.add_argument("--work", default="out/cluster", metavar="DIR", help="artefacts (default out/cluster)")
    parser.add_argument("--list", action="store_true", help="names of the cases")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(wanted(arguments)))
        return 0
    if not arguments.relay or not os.access(arguments.relay, os.X_OK):
        parser.error("name the relay's binary (--relay)")
    arguments.relay = pathlib.Path(arguments.relay).resolve()
    if arguments.older:
        if not os.access(arguments.older, os.X_OK):
            parser.error("--older is no program")
        arguments.older = pathlib.Path(arguments.older).resolve()
    if os.getuid() == 0:
        # PostgreSQL needs another user than root, which the namespaces of other users lack.
        network.enter()
        network.bring_up_loopback()
    clients.end_on_termination()
    reporter = Reporter()
    if not postgres.is_present():
        reporter.skip("cluster", "needs postgresql")
        return 0
    ran = run(arguments, reporter)
    counted, failed, _ = reporter.outcome()
    reporter.summary(ran)
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps({"results": reporter.results}, indent=1))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
