"""Sessions whose home relay ends: another relay takes them over with their state, and clients resume under their connection ids."""

import asyncio
import contextlib
import json
import random
import time

from cluster import LEASE, MARGIN, Member, enter, until
from messages_client import Refused

PASSWORD = "a password"


def participants(relay, session):
    return json.loads(relay.request("GET", f"/v1/admin/sessions/{session}/participants")[0])["participants"]


async def all_back(members, seconds=30):
    """Waits until all members have lost their connections and returned. Returns the longest time that one was away; None if one is still."""
    if await until(lambda: all(m.is_up and m.back_after for m in members), seconds) is None:
        return None
    return max(m.back_after[-1] for m in members)


async def lose(cluster, home, ends):
    """Ends a relay (`kill` or `stop`) without blocking the clients' own work."""
    await asyncio.to_thread(getattr(home, ends))


async def kept(case, cluster, report, ends="kill"):
    """What hosts have decided, and the clients' ids, roles and subsessions, are as before after the loss of the home relay."""
    async with contextlib.AsyncExitStack() as stack:
        members = [await stack.enter_async_context(Member(cluster.relays, i % 3, "kept", f"kept {i}", PASSWORD)) for i in range(6)]
        host, manager, mover, removed = members[0], members[1], members[2], members[5]
        ids = {m.name: m.joined["connection"] for m in members}
        await host.ask("setManager", user=ids[manager.name], isManager=True)
        await host.ask("rename", user=ids[mover.name], name="renamed")
        await host.ask("lockShare", isLocked=True)
        await host.ask("setChatAllowed", isAllowed=False)
        await host.ask("forceMuteAll", excluding=[])
        await host.ask("commitSubsessions", names=["one", "two"])
        await host.ask("startSubsessions")
        subsession = (await mover.ask("subsessions"))["subsessions"][1]["id"]
        await mover.ask("joinSubsession", subsession=subsession)
        await host.ask("removeUser", user=ids[removed.name])
        members.remove(removed)
        for member in members:
            member.back_after.clear()
        home = cluster.home("kept", cluster.relays[1])
        # Moves are saved within 20 ms, not before the answer.
        await asyncio.sleep(0.3)
        await lose(cluster, home, ends)
        worst = await all_back(members)
        report(case, f"all clients are back within {LEASE + MARGIN + 1} s", worst is not None and worst <= LEASE + MARGIN + 1,
               seconds=worst and round(worst, 1), refusals=sorted({r for m in members for r in m.refusals}))
        report(case, "all of them have resumed with a snapshot, none has joined again",
               [(m.joins, m.resumes, m.snapshots) for m in members] == [(1, 1, 1)] * 5,
               counts=[(m.joins, m.resumes, m.snapshots) for m in members])
        report(case, "they have their connection ids", all(m.joined["connection"] == ids[m.name] for m in members))
        new = cluster.home("kept", cluster.relays[1])
        report(case, "another relay runs the session", new is not None and new is not home, home=new and new.id)
        users = {u["id"]: u for u in participants(new, "kept")}
        roles = [users.get(ids[m.name], {}).get("role") for m in members]
        report(case, "roles are as before, with one host", roles == ["host", "manager"] + ["participant"] * 3, roles=roles)
        report(case, "names are as before", users.get(ids[mover.name], {}).get("name") == "renamed")
        snapshot = host.joined
        rules = [snapshot["isMuteForced"], snapshot["isShareLocked"], snapshot["isChatAllowed"]]
        report(case, "forced mute, share lock and chat switch are as before", rules == [True, True, False], rules=rules)
        users_by_id = {s["id"]: s["users"] for s in (await host.ask("subsessions"))["subsessions"]}
        report(case, "subsessions and their users are as before", len(users_by_id) == 2 and users_by_id.get(subsession) == [ids[mover.name]], users=users_by_id)
        codes = []
        for password in (None, PASSWORD):
            try:
                await stack.enter_async_context(Member(cluster.relays, cluster.relays.index(new), "kept", f"new {password}", password))
                codes.append("joined")
            except Refused as error:
                codes.append(error.code)
        report(case, "the password still counts", codes == ["passwordNeeded", "joined"], codes=codes)
        removed.refusals.clear()
        await until(lambda: "tokenRevoked" in removed.refusals, 5)
        report(case, "the removed user is still refused", not removed.is_up and "tokenRevoked" in removed.refusals,
               refusals=removed.refusals[-3:])
        await host.ask("signal", type="test", data="after")
        seconds = await until(lambda: all("after" in m.signals() for m in members if m not in (host, mover)), 5)
        report(case, "signals reach all clients again", seconds is not None)


async def restarted(case, cluster, report):
    """An orderly end of the home relay loses nothing either, and needs no lease to end."""
    await kept(case, cluster, report, ends="stop")


async def changed(case, cluster, report, rounds=1):
    """kill -9 of the home relay at a random moment while its host changes the session: every answered change is in the state afterwards."""
    seed = random.randrange(1 << 32)
    randomness = random.Random(seed)
    faults, answered_total = [], 0
    for number in range(rounds):
        session, first = f"changed-{number}", number % 3
        async with contextlib.AsyncExitStack() as stack:
            members = await enter(stack, cluster, session, 3, first=first)
            host, home = members[0], cluster.relays[first]
            sent, answered = 0, 0

            async def change(host=host):
                nonlocal sent, answered
                user = host.joined["connection"]
                while True:
                    sent += 1
                    await host.ask("rename", user=user, name=f"name {sent}")
                    answered = sent
                    # Below the limit of messages per second.
                    await asyncio.sleep(0.015)
            work = asyncio.create_task(change())
            await asyncio.sleep(0.3 + randomness.random())
            await lose(cluster, home, "kill")
            try:
                await work
            except (ConnectionError, asyncio.TimeoutError):
                pass
            except Refused as error:
                # The client is connected again and has not resumed yet.
                if error.code != "notJoined":
                    raise
            worst = await all_back(members)
            new = cluster.home(session, cluster.relays[(first + 1) % 3])
            hosts = [u for u in participants(new, session) if u["role"] == "host"] if new else []
            name = hosts[0]["name"] if hosts else ""
            value = int(name.split()[-1]) if name.startswith("name ") else -1
            if worst is None or len(hosts) != 1 or not answered <= value <= sent:
                faults.append((number, worst, len(hosts), answered, value, sent))
            answered_total += answered
        cluster.relays[first] = await asyncio.to_thread(cluster.start, first)
        await cluster.wait_until_members(3)
    report(case, "every answered change is kept, and there is one host", not faults and answered_total > 10 * rounds,
           rounds=rounds, answered=answered_total, faults=faults[:3], seed=seed)


async def many(case, cluster, report, count=1_000):
    """Take-over of many sessions at once."""
    async with contextlib.AsyncExitStack() as stack:
        members = []
        for number in range(count):
            members += await enter(stack, cluster, f"many-{number}", 1)
            # Clients return through the two other relays in turn.
            members[-1].relays = [cluster.relays[0], cluster.relays[1 + number % 2]]
        ids = [m.joined["connection"] for m in members]
        began = time.monotonic()
        await lose(cluster, cluster.relays[0], "kill")
        worst = await all_back(members, 60)
        report(case, f"{count} sessions are taken over, and their clients back, within 10 s after the lease",
               worst is not None and worst <= LEASE + 10, seconds=round(time.monotonic() - began, 1),
               worst=worst and round(worst, 1))
        report(case, "all have resumed", all(m.resumes == 1 and m.joins == 1 for m in members)
               and ids == [m.joined["connection"] for m in members],
               joined_again=sum(m.joins > 1 for m in members))


async def edge_killed(case, cluster, report):
    """kill -9 of a relay that is not the home relay: its clients resume through the others and miss nothing; the others notice nothing."""
    async with contextlib.AsyncExitStack() as stack:
        members = await enter(stack, cluster, "edge", 9)
        home, lost = cluster.relays[0], cluster.relays[2]
        there = [m for m in members if m.relay is lost]
        others = [m for m in members if m.relay is not lost]
        report(case, "the session is at the first relay", cluster.home("edge") is home and len(there) == 3)
        await lose(cluster, lost, "kill")
        # While they are away.
        await others[0].ask("signal", type="test", data="missed")
        seconds = await until(lambda: all(m.is_up and m.back_after for m in there), 30)
        report(case, "the relay's clients are back", seconds is not None, seconds=seconds and round(seconds, 1))
        report(case, "they have resumed, with the events that they missed",
               await until(lambda: all("missed" in m.signals() for m in there), 5) is not None
               and [(m.joins, m.resumes, m.snapshots) for m in there] == [(1, 1, 0)] * 3,
               counts=[(m.joins, m.resumes, m.snapshots) for m in there])
        report(case, "events have consecutive numbers at each client",
               all([e["seq"] for e in m.events] == list(range(1, len(m.events) + 1)) for m in members))
        report(case, "the other clients were not cut", not any(m.back_after for m in others))
        report(case, "the session has not moved", cluster.home("edge") is home)


async def changed_often(case, cluster, report):
    """As `changed`, 20 times."""
    await changed(case, cluster, report, rounds=20)


CASES = {"state kept": kept, "home relay restarted": restarted, "changes during a kill": changed}
LONG = {"another relay killed": edge_killed, "changes during twenty kills": changed_often, "a thousand sessions": many}
