"""Cases of a cluster whose hosts cannot reach each other (clusternet.py): no session is ever run by two relays, and all heals."""

import asyncio
import contextlib
import functools
import json
import time

from cluster import LEASE, MARGIN, Member, enter, until
from clusternet import cut, heal
from messages_client import Refused
from relay import RelayError

PROBE_SECONDS = 0.05
# Longest time from the end of a cut until all is as before: a new connection to the database or to a relay, and two heartbeats.
HEALING = 10
# Longest silence of a link until its relay closes it, and the time in which a client returns.
LINK_SILENCE = 20 + MARGIN


class Probes:
    """Requests that change the state of a session, every 50 ms through some clients and as an operator at the first home relay, and the
    time of each that succeeded. The first home relay carries out those of the operator until the cut ends, those of clients that have not
    returned since the cut, and those of clients that returned through it before the cut ended. Others reach another home relay.
    """

    def __init__(self, home, session, members):
        self.home, self.session, self.members = home, session, members
        self.done, self.refused = [], []
        self.healed = float("inf")
        self._is_over = False

    async def __aenter__(self):
        self._tasks = [asyncio.create_task(self._repeat(functools.partial(self._signal, member))) for member in self.members]
        self._tasks.append(asyncio.create_task(self._repeat(self._lock)))
        return self

    async def __aexit__(self, *_):
        self._is_over = True
        await asyncio.gather(*self._tasks)

    async def _repeat(self, request):
        while not self._is_over:
            with contextlib.suppress(OSError, asyncio.TimeoutError):
                await request()
            await asyncio.sleep(PROBE_SECONDS)

    async def _signal(self, member):
        if not member.is_up:
            return
        sent, at_first = time.monotonic(), not member.back_after
        at_home = at_first or (member.relay is self.home and sent < self.healed)
        try:
            await member.ask("signal", type="probe", data="")
        except Refused as error:
            self.refused.append((sent, at_home, "signal", error.code))
            return
        self.done.append((sent, time.monotonic(), at_home, "signal"))

    async def _lock(self):
        if self.healed != float("inf"):
            return
        sent = time.monotonic()
        try:
            await asyncio.to_thread(
                self.home.request, "PUT", f"/v1/admin/sessions/{self.session}/share-lock", {"locked": False}, 3)
        except RelayError as error:
            self.refused.append((sent, True, "share-lock", error.code))
            return
        self.done.append((sent, time.monotonic(), True, "share-lock"))

    def codes(self, since):
        """Returns the codes with which the first home relay refused requests of each kind after a time."""
        codes = {"share-lock": set(), "signal": set()}
        for sent, at_home, kind, code in self.refused:
            if at_home and sent > since:
                codes[kind].add(code)
        return {kind: sorted(found) for kind, found in codes.items()}

    def last_at_first(self):
        """Returns the time at which the last request of each kind was sent that the first home relay carried out."""
        last = {}
        for sent, _, at_home, kind in self.done:
            if at_home:
                last[kind] = max(sent, last.get(kind, sent))
        return last

    def first_elsewhere(self):
        """Returns the time of the first answer that came from another home relay; None if there was none."""
        return min((answered for _, answered, at_home, _ in self.done if not at_home), default=None)


async def home_of(cluster, session, relay):
    """Returns the relay that runs a session. The clients' connections and the probes go on meanwhile."""
    return await asyncio.to_thread(cluster.home, session, relay)


async def signals_reach_all(case, members, report):
    text = f"after {time.monotonic()}"
    await members[0].ask("signal", type="test", data=text)
    seconds = await until(lambda: all(text in m.signals() for m in members), 5)
    report(case, "a signal reaches all clients", seconds is not None, seconds=seconds and round(seconds, 2))


async def check_together(case, cluster, session, members, report):
    """One session has all members, and one host."""
    raw = await asyncio.to_thread(cluster.relays[2].request, "GET", f"/v1/admin/sessions/{session}/participants")
    users = json.loads(raw[0])["participants"]
    hosts = [u["name"] for u in users if u.get("role") == "host"]
    report(case, "all clients are in one session with one host", len({m.joined["session"] for m in members}) == 1
           and {u["name"] for u in users} >= {m.name for m in members} and len(hosts) == 1, users=len(users), hosts=hosts)


async def taken_over(case, cluster, members, home, began, report):
    """Another relay runs the session in time, while the first one is cut off."""
    others = [m for m in members if m.relay is not home]
    seconds = await until(lambda: all(m.is_up and m.back_after for m in others), 15)
    report(case, f"clients of the other relays are back within {LEASE + MARGIN + 1} s",
           seconds is not None and seconds <= LEASE + MARGIN + 1, seconds=seconds and round(seconds, 1),
           refusals=sorted({r for m in others for r in m.refusals}))
    new = await home_of(cluster, members[0].session, cluster.relays[1])
    report(case, "another relay runs the session", new is not None and new is not home, home=new and new.id)
    await asyncio.sleep(max(0, began + LEASE + 5 - time.monotonic()))


async def cut_off(both, case, cluster, report):
    """The home relay cannot reach the database, or gets no answers from it. The other relays can."""
    async with contextlib.AsyncExitStack() as stack:
        members = await enter(stack, cluster, "cut", 6)
        home = await home_of(cluster, "cut", cluster.relays[1])
        report(case, "the session is at the first relay", home is cluster.relays[0])
        probes = await stack.enter_async_context(Probes(home, "cut", members[:3]))
        await asyncio.sleep(1)
        began = time.monotonic()
        cut(cluster.hosts[0], cluster.store, both)
        await taken_over(case, cluster, members, home, began, report)
        # The lease ends before another relay may act.
        codes = probes.codes(began + LEASE)
        report(case, "the first relay refuses requests as unavailable", all(c == ["unavailable"] for c in codes.values()), **codes)
        probes.healed = time.monotonic()
        heal(cluster.hosts[0], cluster.store)
        seconds = await until(lambda: all(m.is_up and m.back_after for m in members), 20)
        report(case, f"the first relay's clients are led to the other one within {HEALING} s",
               seconds is not None and seconds <= HEALING, seconds=seconds and round(seconds, 1))
        await asyncio.sleep(1)
        last, first = probes.last_at_first(), probes.first_elsewhere()
        report(case, "at no time two relays carry out requests for the session", first is not None and max(last.values()) <= first,
               last_at_first_relay={kind: round(at - began, 2) for kind, at in last.items()},
               first_elsewhere=first and round(first - began, 2), requests=len(probes.done))
        value = home.metrics().get("millrace_cluster_superseded_total")
        report(case, "the first relay has given the session up", value is not None and value >= 1, superseded=value)
        await signals_reach_all(case, members, report)
        await check_together(case, cluster, "cut", members, report)


async def attempt(cluster, relay, session):
    """Returns "joined", or the reason for which a new client of a relay could not join, and the seconds."""
    began = time.monotonic()
    try:
        async with Member(cluster.relays, relay, session, "new"):
            result = "joined"
    except Refused as error:
        result = error.code
    except (OSError, asyncio.TimeoutError) as error:
        result = type(error).__name__
    return result, round(time.monotonic() - began, 1)


async def between(case, cluster, report):
    """The home relay and another relay cannot reach each other. Both reach the database and the third relay."""
    async with contextlib.AsyncExitStack() as stack:
        members = await enter(stack, cluster, "between", 6, first=1)
        home = await home_of(cluster, "between", cluster.relays[0])
        report(case, "the session is at the second relay", home is cluster.relays[1])
        affected = [m for m in members if m.relay is cluster.relays[2]]
        session = members[0].joined["session"]
        cut(cluster.hosts[1], cluster.hosts[2])
        began = time.monotonic()
        joins = asyncio.create_task(attempt(cluster, 2, "between"))
        seconds = await until(lambda: all(m.is_up and m.back_after for m in affected), 40)
        report(case, f"clients of the other relay are back within {LINK_SILENCE} s", seconds is not None and seconds <= LINK_SILENCE,
               seconds=seconds and round(seconds, 1), relays=[m.relay.id for m in affected])
        result, waited = await joins
        report(case, "the other relay refuses new clients as unavailable", result == "unavailable", result=result, seconds=waited)
        await asyncio.sleep(max(0, began + 2 * LEASE - time.monotonic()))
        report(case, "no other client was cut", not any(m.back_after for m in members if m not in affected))
        report(case, "all are in the same session as before", {m.joined["session"] for m in members} == {session})
        await check_kept(case, cluster, "between", home, report)
        await signals_reach_all(case, members, report)
        heal(cluster.hosts[1], cluster.hosts[2])
        began, result = time.monotonic(), None
        while result != "joined" and time.monotonic() - began < HEALING:
            result, _ = await attempt(cluster, 2, "between")
        report(case, f"within {HEALING} s the other relay takes clients of the session", result == "joined",
               result=result, seconds=round(time.monotonic() - began, 1))
        await check_together(case, cluster, "between", members, report)


async def check_kept(case, cluster, session, home, report):
    """The session is at the same relay as before, and no relay has given a session up."""
    now = await home_of(cluster, session, cluster.relays[0])
    superseded = [relay.metrics().get("millrace_cluster_superseded_total") for relay in cluster.relays]
    report(case, "nothing was taken over", now is home and not any(superseded), home=now and now.id, superseded=superseded)


async def store_apart(case, cluster, report):
    """No relay can reach the database for 15 s."""
    async with contextlib.AsyncExitStack() as stack:
        members = await enter(stack, cluster, "apart", 6)
        home = await home_of(cluster, "apart", cluster.relays[1])
        for host in cluster.hosts:
            cut(host, cluster.store)
        await asyncio.sleep(15)
        report(case, "no client was cut", all(m.is_up and not m.back_after for m in members))
        await signals_reach_all(case, members, report)
        results = [await attempt(cluster, relay, "apart") for relay in range(3)]
        report(case, "the session takes clients through every relay", all(r == "joined" for r, _ in results), results=results)
        result, seconds = await attempt(cluster, 1, "new")
        report(case, "a new session is refused as unavailable", result == "unavailable", result=result, seconds=seconds)
        for host in cluster.hosts:
            heal(host, cluster.store)
        began, result = time.monotonic(), None
        while result != "joined" and time.monotonic() - began < HEALING:
            result, _ = await attempt(cluster, 1, "new")
        report(case, f"a new session begins within {HEALING} s after the cut", result == "joined",
               seconds=round(time.monotonic() - began, 1))
        await asyncio.sleep(LEASE)
        report(case, "still no client was cut", all(m.is_up and not m.back_after for m in members))
        await check_kept(case, cluster, "apart", home, report)
        await check_together(case, cluster, "apart", members, report)


ALL = {
    "home relay cut off from the database": functools.partial(cut_off, True),
    "answers of the database to the home relay lost": functools.partial(cut_off, False),
    "two relays cut off from each other": between,
    "database cut off from all relays": store_apart,
}
