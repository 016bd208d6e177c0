"""A cluster whose relays have wall clocks that differ by minutes."""

import os
import pathlib
import time

import media
import takeovers
from cluster import Cluster, Member

# Seconds by which each relay's clock is wrong.
SHIFTS = (-600, 0, 600)


class ShiftedCluster(Cluster):
    """Runs the relays with a library that moves their wall clocks."""

    def arguments(self, number):
        if number is None:
            return {}
        library = self.folder.resolve() / "clockshift.so"
        if not library.exists():
            media.run(["gcc", "-shared", "-fPIC", "-O1", "-o", library, pathlib.Path(__file__).with_name("clockshift.c")])
        return {"environment": {**os.environ, "LD_PRELOAD": str(library), "CLOCK_SHIFT": str(SHIFTS[number])}}


async def differ(case, cluster, report):
    """The home relay, whose clock is ten minutes late, is killed: the others take its session over after its lease, as with equal clocks."""
    times = []
    for number, relay in enumerate(cluster.relays):
        async with Member(cluster.relays, number, f"clock-{number}", "someone"):
            times.append(takeovers.participants(relay, f"clock-{number}")[0]["joinedAt"] / 1e3 - time.time())
    report(case, "the relays' clocks differ by ten minutes", all(abs(is_off - shift) < 5 for is_off, shift in zip(times, SHIFTS)),
           seconds=[round(is_off) for is_off in times])
    await takeovers.kept(case, cluster, report)


ALL = {"wall clocks differ": differ}
