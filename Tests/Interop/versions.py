"""Clusters whose relays have different versions, as while a cluster is upgraded relay by relay."""

import asyncio
import contextlib

import takeovers
from cluster import Cluster, Member, enter, until


class MixedCluster(Cluster):
    """Runs relays of two versions; `newer` has the numbers of those of the later one."""

    def __init__(self, binary, folder, older, newer=()):
        self.newer_binary, self.older_binary = binary, older
        self.newer = set(newer)
        super().__init__(binary, folder)

    def start(self, number):
        self.binary = self.newer_binary if number in self.newer else self.older_binary
        return super().start(number)

    def link_versions(self):
        """Returns the link version of each relay, as a relay of the later version lists them."""
        newer = self.relays[min(self.newer)]
        return {entry["id"]: entry["linkVersion"] for entry in self.listing(newer)["relays"] if entry["isAlive"]}


async def replace(cluster, number):
    """Ends a relay in order, and starts one of the other version instead."""
    cluster.newer ^= {number}
    await asyncio.to_thread(cluster.relays[number].stop)
    cluster.relays[number] = await asyncio.to_thread(cluster.start, number)
    await cluster.wait_until_members(3)


async def upgraded(case, cluster, report):
    """Each relay is replaced by one of the later version, and then by one of the earlier version again: clients keep their connection ids and the
    state of the session."""
    async with contextlib.AsyncExitStack() as stack:
        members = await enter(stack, cluster, "upgraded", 6)
        host = members[0]
        ids = {m.name: m.joined["connection"] for m in members}
        await host.ask("lockShare", isLocked=True)
        for direction in ("upgrade", "return"):
            for number in range(3):
                # The relay that ends is the home relay in at least one of the three steps.
                await replace(cluster, number)
                step = f"{direction} of relay {number}"
                seconds = await until(lambda: all(m.is_up for m in members), 30)
                report(case, f"{step}: all clients are back", seconds is not None, newer=sorted(cluster.newer),
                       refusals=sorted({r for m in members for r in m.refusals}))
                report(case, f"{step}: they have their connection ids", {m.name: m.joined["connection"] for m in members} == ids,
                       counts=[(m.joins, m.resumes) for m in members])
                name = f"after {step}"
                await members[1].ask("rename", user=ids[members[1].name], name=name)
                await host.ask("signal", type="test", data=step)
                seconds = await until(lambda: all(step in m.signals() for m in members[1:]), 5)
                report(case, f"{step}: signals reach all clients", seconds is not None)
                names = {u["name"] for u in takeovers.participants(cluster.relays[(number + 1) % 3], "upgraded")}
                report(case, f"{step}: each relay lists the same participants", all(
                    {u["name"] for u in takeovers.participants(relay, "upgraded")} == names for relay in cluster.relays) and name in names)
        late = await stack.enter_async_context(Member(cluster.relays, 2, "upgraded", "late"))
        report(case, "the share lock of the beginning is still in force", late.joined["isShareLocked"])
        report(case, "no client joined a second time", all(m.joins == 1 for m in members), joins=[m.joins for m in members])


async def lost(case, cluster, report):
    """kill -9 of the home relay: a relay of the other version takes its session over."""
    versions = cluster.link_versions()
    report(case, "the relays have two link versions", len(set(versions.values())) == 2, versions=versions)
    await takeovers.kept(case, cluster, report)


CASES = {"upgrade and return": upgraded, "home relay of an earlier version killed": lost, "home relay of a later version killed": lost}
# Relays that begin with the later version.
NEWER = {"upgrade and return": (), "home relay of an earlier version killed": (1, 2), "home relay of a later version killed": (0,)}
