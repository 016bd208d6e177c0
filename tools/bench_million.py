"""Packets a second that one worker forwards to thousands of subscribers of one session, and the rate at 80 % of its core.

Audio publishers send Opus-sized packets (60 to 160 bytes, 50 a second) to one session; every subscriber, with its own key and port,
receives all of them. Relay, publishers and subscribers are in a network namespace. The packets of one subscriber in a hundred arrive, and
libsrtp2 checks each of them; those of the others are counted and dropped where the stack hands them to the device, so that the receiving half
of the kernel's work costs nothing, as with a network card (its driver excluded). The first row has the given number of publishers; then their
number is changed until the worker uses 80 % of its core, or nearly, and the rate at exactly 80 % is computed from the rows beside it.
"busy %" is the worker's CPU time as a share of the time in which it had a core, or 100 if packets were lost: on a machine with other load the worker
may wait for its core ("waited %").

Exit code: 0; 1 if a check of libsrtp2 failed, no packet was checked, packets are missing after the relay or --min-rate is not met; 2 bad usage or not possible here (needs root)."""

import argparse
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys

from bench_network import EgressFilter, Namespace
from bench_process import Failed, Impossible, ROOT, load_average, processor, program, started, stopped

TARGET = 0.8
# First port of those that Linux gives to programs that ask for none.
EPHEMERAL = 32_768
# Shares of the core that count as the target, and the maximum number of measurements.
NEAR = (0.75, 0.85)
BUSY = 0.95
# Share of the time for which the worker may wait for its core without a warning.
WAITED = 0.02
# Share of lost packets above which a worker counts as overloaded, whatever CPU time it got.
LOST = 0.005
# Share by which the relay's count of forwarded packets may differ from what was checked and dropped after it.
DIFFERENCE = 0.001
MEASUREMENTS = 6


def lost(row):
    """Returns the share of the expected packets that the relay did not forward: the worker did not read them in time."""
    return 1 - row["forwarded"] / row["expected"] if row["expected"] else 0


def busy(row):
    """Returns the worker's CPU time as a share of the time in which it had a core: other programs may have it for a part of the time. It is
    1 if packets were lost."""
    available = 1 - row["waitingShare"]
    return 1.0 if lost(row) > LOST or available <= 0 else min(1.0, row["workerShare"] / available)


def next_publishers(rows, most):
    """Returns the number of publishers to measure next, from (publishers, share of the core) of those before; None when the share is near
    the target, or no number is left that could be nearer."""
    if any(NEAR[0] <= share <= NEAR[1] for _, share in rows):
        return None
    tried = {publishers for publishers, _ in rows}
    below = max(((p, s) for p, s in rows if s < TARGET), default=None)
    above = min(((p, s) for p, s in rows if s >= TARGET), default=None)
    if below and above and above[0] > below[0]:
        (p0, s0), (p1, s1) = below, above
        guess = p0 + round((p1 - p0) * (TARGET - s0) / (s1 - s0))
        guess = min(max(guess, p0 + 1), p1 - 1)
    elif below:
        guess = max(below[0] + 1, min(math.floor(below[0] * TARGET / below[1]), below[0] * 4))
    else:
        # The share of a busy worker does not say by how much its load is too high.
        guess = above[0] // 2 if above[1] >= BUSY else min(above[0] - 1, math.floor(above[0] * TARGET / above[1]))
    guess = max(1, min(guess, most))
    return None if guess in tried else guess


def rate_at_target(rows):
    """Returns the packets a second at 80 % of the core, from (share, packets a second) of the rows, and whether it is interpolated between
    two rows, measured within 5 % of the core, or extrapolated in proportion."""
    rows = sorted(rows)
    below = [row for row in rows if row[0] <= TARGET]
    above = [row for row in rows if row[0] > TARGET]
    if below and above:
        (s0, r0), (s1, r1) = below[-1], above[0]
        return r0 + (r1 - r0) * (TARGET - s0) / (s1 - s0), "interpolated"
    share, rate = below[-1] if below else rows[0]
    return rate * TARGET / share, "measured" if NEAR[0] <= share <= NEAR[1] else "extrapolated"


def ports(base, subscribers, every):
    """Returns the first and the last port of the subscribers that are not checked."""
    checked = (subscribers + every - 1) // every
    return base + checked, base + subscribers - 1


class Million:
    def __init__(self, arguments):
        self.arguments, self.namespace, self.rows, self.hints = arguments, None, [], []

    def measure(self, publishers, wrapper=(), seconds=None):
        """Returns the row of a number of publishers. `wrapper` is a command that runs the benchmark."""
        arguments = self.arguments
        options = {"publishers": publishers, "subscribers": arguments.subscribers, "every": arguments.every,
                   "seconds": seconds or arguments.seconds, "warm-up": arguments.warm_up, "suite": arguments.suite, "base": arguments.base}
        command = [*self.namespace.prefix, *wrapper, arguments.bench, "million", *(["--together"] if arguments.together else []),
                   *(part for name, value in options.items() for part in (f"--{name}", value))]
        dropping = EgressFilter(self.namespace.holder.pid, "127.0.0.1", *ports(arguments.base, arguments.subscribers, arguments.every), True)
        process = None
        try:
            with open(ROOT / "out/bench-million.log", "w+") as log:
                process = started(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True)
                output = process.communicate()[0]
                log.seek(0)
                if process.returncode != 0:
                    raise Failed(log.read().strip()[-300:] or f"exit code {process.returncode}")
            row = json.loads(output.strip().splitlines()[-1])
            row["dropped"] = dropping.counts()["packets"]
            return row
        finally:
            stopped(process)
            dropping.stop()

    def go(self):
        self.namespace = Namespace(linked=False)
        try:
            publishers = self.arguments.publishers
            while publishers and len(self.rows) < MEASUREMENTS:
                row = self.measure(publishers)
                self.rows.append(row)
                yield row
                if self.arguments.single:
                    break
                publishers = next_publishers([(each["publishers"], busy(each)) for each in self.rows], self.arguments.most)
            if self.arguments.profile:
                self.profile(self.rows[-1]["publishers"])
        finally:
            self.namespace.stop()

    def profile(self, publishers):
        """Finds the functions in which the worker spends most of its time; none without the program perf, or if it may not count."""
        if not shutil.which("perf"):
            return
        data = ROOT / "out/bench-million.perf"
        try:
            self.measure(publishers, ["perf", "record", "-q", "-F", "499", "-o", data, "--"], seconds=3)
        except Failed as failure:
            print(f"bench million: perf: {failure}", file=sys.stderr)
            return
        report = subprocess.run(["perf", "report", "-i", data, "--stdio", "--comm", "media-0", "--no-children", "--percent-limit", "1",
                                 "--sort", "symbol"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        self.hints = [re.sub(r"\s+-\s+-\s*$", "", line).strip() for line in report.stdout.splitlines() if line.strip() and not line.startswith("#")][:15]


def faults(row):
    """Returns what is wrong with a row."""
    checked = row["verification"]
    found = []
    if checked["failures"]:
        reasons = ", ".join(f"{number} x {reason}" for reason, number in sorted(checked["reasons"].items()))
        found.append(f"libsrtp2 refused {checked['failures']} packets: {reasons}")
    if not checked["verified"]:
        found.append("no packet was checked")
    elif checked["streams"] != row["publishers"] * row["checkedSubscribers"]:
        found.append(f"{checked['streams']} streams were checked instead of {row['publishers'] * row['checkedSubscribers']}")
    # The rate is the relay's own count, so others must have seen as many packets.
    seen = row["dropped"] + checked["verified"] + checked["failures"] + checked["dropped"]
    if abs(seen - row["forwarded"]) > DIFFERENCE * row["forwarded"]:
        found.append(f"the relay counted {row['forwarded']} forwarded packets, and {seen} arrived or were dropped at the device")
    return found


HEADER = (f"{'publishers':>10}  {'N':>5}  {'packets/s':>9}  {'busy %':>6}  {'worker %':>8}  {'waited %':>8}  {'ns/packet':>9}  {'pkts/send':>9}  {'p50 ms':>6}"
          f"  {'p99 ms':>6}  {'lost %':>6}  {'checked':>8}  {'failures':>8}  {'missing':>7}")


def line(row):
    checked = row["verification"]
    return (f"{row['publishers']:10}  {row['subscribers']:5}  {row['packetsPerSecond']:9.0f}  {100 * busy(row):6.1f}"
            f"  {100 * row['workerShare']:8.1f}  {100 * row['waitingShare']:8.1f}  {row['nanosecondsPerPacket']:9.0f}  {row['packetsPerSend']:9.1f}  {row['delayP50Milliseconds']:6.1f}"
            f"  {row['delayP99Milliseconds']:6.1f}  {100 * lost(row):6.2f}  {checked['verified']:8}  {checked['failures']:8}  {checked['missing']:7}")


def arguments_of(given=None):
    parser = argparse.ArgumentParser(prog="tools/bench million", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--publishers", type=int, default=10, help="audio publishers of the first row, 50 packets a second each (default 10)")
    parser.add_argument("--most", type=int, default=60, help="maximum number of publishers (default 60)")
    parser.add_argument("--subscribers", type=int, default=3000, help="subscribers of the session (default 3000)")
    parser.add_argument("--every", type=int, default=100, help="one subscriber in this number is checked by libsrtp2 (default 100)")
    parser.add_argument("--seconds", type=float, default=5, help="length of each measurement (default 5)")
    parser.add_argument("--warm-up", type=float, default=2, help="seconds of load before each (default 2)")
    parser.add_argument("--suite", choices=["cm", "gcm"], default="gcm", help="SRTP suite (default gcm)")
    parser.add_argument("--together", action="store_true", help="publishers send at the same moment; otherwise spread over 20 ms")
    parser.add_argument("--base", type=int, default=20_000, help="first UDP port of the subscribers in the namespace (default 20000)")
    parser.add_argument("--single", action="store_true", help="only the first row")
    parser.add_argument("--profile", action="store_true", help="also the functions with most of the worker's time, if the program perf exists")
    parser.add_argument("--min-rate", type=float, default=0, help="minimum packets a second at 80 %% of the core; 0: any")
    parser.add_argument("--json", metavar="FILE", help="figures as JSON; - is standard output, without a table")
    arguments = parser.parse_args(given)
    if not (1 <= arguments.publishers <= arguments.most <= 400 and 1 <= arguments.subscribers and arguments.every >= 1):
        parser.error("--publishers is 1 to --most, which is at most 400; --subscribers and --every are at least 1")
    if arguments.base < 1024 or arguments.base + arguments.subscribers > EPHEMERAL:
        parser.error(f"--base and --subscribers: the ports are within 1024 to {EPHEMERAL - 1}, since the system gives higher ones to the relay")
    if arguments.subscribers <= (arguments.subscribers + arguments.every - 1) // arguments.every:
        parser.error("--every: some subscribers must not be checked")
    if arguments.seconds < 0.5 or arguments.warm_up < 0:
        parser.error("--seconds is at least 0.5, --warm-up at least 0")
    if not os.access(arguments.bench, os.X_OK):
        parser.error(f"{arguments.bench} cannot be executed")
    return arguments


def go(arguments):
    (ROOT / "out").mkdir(exist_ok=True)
    million, table = Million(arguments), arguments.json != "-"
    head = {"processor": processor(), "loadAverage": load_average(), "suite": arguments.suite, "together": arguments.together}
    if table:
        print(f"{head['processor']}; load average {head['loadAverage']:.1f} before the start")
        print(f"One session, one worker, {'AES-GCM' if arguments.suite == 'gcm' else 'AES-CM'}, payloads of 60 to 160 bytes, publishers"
              f" {'together' if arguments.together else 'spread over 20 ms'}; transmit half")
        print(HEADER, flush=True)
    wrong = []
    for row in million.go():
        wrong += [f"{row['publishers']} publishers: {fault}" for fault in faults(row)]
        if table:
            print(line(row), flush=True)
    rate, kind = rate_at_target([(busy(row), row["packetsPerSecond"]) for row in million.rows])
    nearest = min(million.rows, key=lambda row: abs(busy(row) - TARGET))
    checked = sum(row["verification"]["verified"] for row in million.rows)
    failures = sum(row["verification"]["failures"] for row in million.rows)
    if table:
        print(f"at 80 % of the worker's core: {rate:.0f} packets a second ({kind}); nearest row: {nearest['packetsPerSecond']:.0f} at"
              f" {100 * busy(nearest):.1f} %")
        print(f"libsrtp2 checked {checked} packets, {failures} failures")
    if million.hints and table:
        print("share of the worker's time, and function:", *million.hints, sep="\n  ")
    if arguments.json:
        text = json.dumps({**head, "rows": million.rows, "rateAt80Percent": rate, "rateKind": kind, "verified": checked, "failures": failures,
                           "faults": wrong, "profile": million.hints}, indent=1) + "\n"
        if table:
            pathlib.Path(arguments.json).write_text(text)
        else:
            sys.stdout.write(text)
    waited = max(row["waitingShare"] for row in million.rows)
    if waited > WAITED:
        print(f"bench million: other programs had the worker's core for up to {100 * waited:.0f} % of the time in which it had work; measure on an idle"
              " machine", file=sys.stderr)
    for fault in wrong:
        print(f"bench million: {fault}", file=sys.stderr)
    if arguments.min_rate and rate < arguments.min_rate:
        print(f"bench million: {rate:.0f} packets a second are below --min-rate {arguments.min_rate:.0f}", file=sys.stderr)
        return 1
    return 1 if wrong else 0


if __name__ == "__main__":
    options = arguments_of()
    sys.exit(program("bench million", lambda: go(options)))
