"""Implements tools/cluster-demo, without the build."""

import argparse
import asyncio
import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Tests/Interop"))

import clients  # noqa: E402
import media  # noqa: E402
import postgres  # noqa: E402
from cluster import Cluster, Member  # noqa: E402
from relay import RelayError  # noqa: E402

SESSION = "demo"
NAMES = ("Ada", "Ben", "Cem")
# Frames that each receiver decodes in each part of the demo: 5 s of the video.
FRAMES = 150
SOURCE_SECONDS = 10
# Time for each step. A take-over ends the lease first, 5 s.
PATIENCE = 30


class StepFailed(Exception):
    """A step did not do what the demo shows."""


class Media:
    """A publisher at one relay, and a receiver at each other one."""

    def __init__(self, publisher, receivers):
        """`receivers`: receivers by the ids of their relays."""
        self.publisher, self.receivers = publisher, receivers

    @property
    def frames(self):
        """Returns the number of decoded frames for each relay."""
        return {relay: len(receiver.decoded) for relay, receiver in self.receivers.items()}

    def stop(self):
        # The frames are counted already, so the files need no proper end, which takes ffmpeg seconds.
        for process in (self.publisher, *(receiver.process for receiver in self.receivers.values())):
            process.kill()


class ClusterDemo:
    def __init__(self, arguments):
        self.keep = arguments.keep
        self.binary, self.out = pathlib.Path(arguments.relay).resolve(), pathlib.Path(arguments.out).resolve()
        self.work = self.out / "run"
        self.started = time.monotonic()
        self.rows = []

    def say(self, text):
        print(f"    {time.monotonic() - self.started:5.1f} s  {text}", flush=True)

    def row(self, what, value):
        self.rows.append((what, value))

    # MARK: steps

    async def run(self):
        self.prepare()
        self.say(f"source: {SOURCE_SECONDS} s of 720p30 (VP8, 2 Mb/s) and a stereo tone (Opus), encoded once")
        source = await asyncio.to_thread(media.Source, self.out, SOURCE_SECONDS)
        self.say("starting PostgreSQL and three relays")
        async with contextlib.AsyncExitStack() as stack:
            cluster = Cluster(self.binary, self.work, extra=["--dev"])
            stack.callback(cluster.stop)
            await self.within("three relays that know each other", lambda: len(self.alive(cluster)) == 3)
            await cluster.wait_until_members(3)
            self.say(f"PostgreSQL on port {cluster.database.port}")
            for relay in cluster.relays:
                self.say(f"{relay.id}: process {relay.pid}, {relay.url}, media on UDP {relay.media_port}")
            members = [await stack.enter_async_context(Member(cluster.relays, number, SESSION, name))
                       for number, name in enumerate(NAMES)]
            await self.before(cluster, members, source, stack)
            await self.loss(cluster, members, source, stack)
            await self.restart(cluster)
            self.table()
            if self.keep:
                await self.wait_for_interrupt(cluster)
            self.say("stopping what was started")
        self.say("all programs that were started have ended")

    def prepare(self):
        """Empties the folder of logs and database, and checks that the user of the database reaches it."""
        if not postgres.is_present():
            raise StepFailed(f"there is no {postgres.PROGRAMS}/initdb: run tools/setup --for cluster")
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        if os.geteuid() == 0 and not all(folder.stat().st_mode & 0o001 for folder in (self.work, *self.work.parents)):
            raise StepFailed(f"the user postgres cannot enter {self.work}: name another folder (--out)")

    async def before(self, cluster, members, source, stack):
        """Clients of one session at all three relays, with media."""
        first = cluster.relays[0]
        self.say(f"{', '.join(f'{m.name} joined through {m.relay.id}' for m in members)}; the session's home relay is {first.id}")
        if {m.joined["session"] for m in members} != {members[0].joined["session"]} or cluster.home(SESSION) is not first:
            raise StepFailed("the three clients are not in one session at the first relay")
        await members[0].ask("lockShare", isLocked=True)
        self.say(f"{members[0].name} is the host, and has locked screen sharing for participants")
        await self.signal(members)
        self.say(f"ffmpeg publishes at {first.id}, and receives through {cluster.relays[1].id} and {cluster.relays[2].id}")
        self.media = await self.open_media(cluster, source, first, cluster.relays[1:], "before", stack)
        frames = await self.receive(self.media)
        self.show_cluster(cluster.relays[2])
        self.row("home relay at first", first.id)
        self.row("frames decoded before", frames)

    async def loss(self, cluster, members, source, stack):
        """The home relay is killed: its session and its clients are at the other relays."""
        first, left = cluster.relays[0], cluster.relays[1:]
        self.say(f"kill -9 {first.pid}: {first.id}, the home relay, is lost; its lease of 5 s has to end")
        first.kill()
        killed = time.monotonic()
        self.media.stop()
        await self.within("a new home relay", lambda: cluster.home(SESSION, left[1]) in left)
        home = cluster.home(SESSION, left[1])
        self.row("home relay after the loss", f"{home.id}, {time.monotonic() - killed:.1f} s after the kill")
        self.say(f"{home.id} runs the session, {time.monotonic() - killed:.1f} s after the kill")
        await self.within("the participants' return", lambda: all(m.is_up and m.back_after for m in members))
        for member in members:
            self.say(f"{member.name} resumed by itself through {member.relay.id}, after {member.back_after[-1]:.1f} s")
        if {(m.joins, m.snapshots) for m in members} != {(1, 1)}:
            raise StepFailed("a participant has not resumed its connection")
        await self.signal(members)
        self.row("participants resumed", f"after {', '.join(f'{m.back_after[-1]:.1f} s' for m in members)}, by themselves")
        state = members[1].joined
        hosts = [user["name"] for user in state["users"] if user["role"] == "host"]
        if hosts != [members[0].name] or not state["isShareLocked"]:
            raise StepFailed("the session has lost its host or its rules")
        self.row("host, share lock", f"{hosts[0]}, locked, as before")
        self.show_cluster(left[1])
        self.say("plain, WHIP and WHEP clients do not return by themselves: their transports ended with the home relay.")
        publishing = next(relay for relay in left if relay is not home)
        self.say(f"This demo starts ffmpeg again: it publishes at {publishing.id}, and receives through {left[0].id} and {left[1].id}")
        now = await self.open_media(cluster, source, publishing, left, "after", stack)
        await self.within("the first frames", lambda: all(now.frames.values()))
        self.row("first frames again", f"{time.monotonic() - killed:.1f} s after the kill, with ffmpeg started again")
        self.row("frames decoded after", await self.receive(now))

    async def restart(self, cluster):
        """Starts the relay that was killed again: it belongs to the cluster, and takes clients of the session."""
        began = time.monotonic()
        cluster.relays[0] = cluster.start(0)
        await cluster.wait_until_members(3)
        async with Member(cluster.relays, 0, SESSION, "Dia"):
            home = cluster.home(SESSION)
            self.say(f"{cluster.relays[0].id} was started again; Dia joined through it, the home relay is {home.id}")
        self.row("relay started again", f"takes clients after {time.monotonic() - began:.1f} s")

    async def wait_for_interrupt(self, cluster):
        for relay in cluster.relays:
            self.say(f"{relay.id}: {relay.url}/ (page), {relay.url}/admin (operator view)")
        self.say(f"{self.binary} cluster --url {cluster.relays[0].url}")
        self.say("the cluster and the publisher run until Ctrl-C")
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.Event().wait()

    # MARK: parts of steps

    async def open_media(self, cluster, source, publishing, receiving, name, stack):
        """Starts a publisher and receivers through these relays, and stops them with `stack`."""
        way_in = await self.open(publishing, "publish")
        ways_out = {relay.id: await self.open(relay, "subscribe") for relay in receiving}
        carrier = next((relay.id for relay in cluster.relays if relay.media_port == way_in.video.port), "an unknown relay")
        self.say(f"requests go to those relays, which pass them on; ffmpeg sends its packets to {carrier}, UDP port {way_in.video.port}")
        # Without a wait in between, an interrupt cannot leave a program that `stack` does not know.
        receivers = {relay: clients.ffmpeg_receiver(way, self.work, f"{relay}-{name}") for relay, way in ways_out.items()}
        started = Media(clients.ffmpeg_publisher(way_in, source.path, self.work / f"publisher-{name}.log", loop=True), receivers)
        stack.callback(started.stop)
        return started

    async def open(self, relay, direction):
        """Opens a plain transport; tries again while the relay answers that the session is not available."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                return await asyncio.to_thread(relay.open, direction, SESSION, stream="cam1")
            except RelayError as error:
                if error.status != 503 or time.monotonic() > end:
                    raise
            await asyncio.sleep(0.2)

    async def receive(self, now):
        """Waits until each receiver has decoded enough frames, and returns their numbers as text."""
        await self.within(f"{FRAMES} frames at each receiver", lambda: min(now.frames.values()) >= FRAMES)
        text = ", ".join(f"{count} through {relay}" for relay, count in now.frames.items())
        self.say(f"frames decoded: {text}")
        return text

    async def signal(self, members):
        """Sends a signal from each member, and waits until all others have it."""
        before = {m: len(m.signals()) for m in members}
        for member in members:
            await member.ask("signal", type="demo", data=member.name)
        await self.within("signals", lambda: all(len(m.signals()) - before[m] >= len(members) - 1 for m in members))
        self.say("a signal of each participant reached all others")

    async def within(self, what, condition):
        end = time.monotonic() + PATIENCE
        while True:
            with contextlib.suppress(RelayError, OSError):
                if condition():
                    return
            if time.monotonic() > end:
                raise StepFailed(f"{what}: not within {PATIENCE} s")
            await asyncio.sleep(0.1)

    def alive(self, cluster):
        return [relay for relay in cluster.listing()["relays"] if relay["isAlive"]]

    def show_cluster(self, relay):
        self.say(f"millrace cluster --url {relay.url}")
        done = subprocess.run([self.binary, "cluster", "--url", relay.url], capture_output=True, text=True, timeout=20)
        if done.returncode:
            raise StepFailed(f"millrace cluster: {done.stderr.strip()}")
        for line in done.stdout.rstrip().splitlines():
            print(f"             {line}".rstrip(), flush=True)

    def table(self):
        width = max(len(what) for what, _ in self.rows)
        print()
        for what, value in self.rows:
            print(f"    {what:<{width}}  {value}")
        print(f"\n    logs in {self.work}", flush=True)


async def run(demo):
    # Like Ctrl-C: the task is cancelled, and stops what it started.
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, asyncio.current_task().cancel)
    await demo.run()


def main():
    parser = argparse.ArgumentParser(prog="tools/cluster-demo")
    parser.add_argument("--relay", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--out", default=str(ROOT / "out/cluster-demo"), metavar="DIR")
    demo = ClusterDemo(parser.parse_args())
    try:
        asyncio.run(run(demo))
    except (KeyboardInterrupt, asyncio.CancelledError):
        print("    interrupted: all programs that were started have ended", file=sys.stderr)
        return 130
    except Exception as error:  # each failure ends the demo with its reason and the folder of the logs
        print(f"tools/cluster-demo: {type(error).__name__ if not isinstance(error, StepFailed) else 'failed'}: {error}\n"
              f"    logs in {demo.work}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
