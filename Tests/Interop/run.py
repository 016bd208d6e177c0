#!/usr/bin/env python3
"""Third-party programs against the relay: ffmpeg and GStreamer publish and receive, strangers attack.

    python3 Tests/Interop/run.py --relay .build/release/millrace
    python3 Tests/Interop/run.py --direct        # the same command lines without a relay: publisher to receiver

Status: 0 all passed, 1 something failed, 2 bad usage.
"""

import argparse
import json
import os
import pathlib
import shutil
import sys
import time
import traceback

import cases
import clients
import documents
import media
import readme
from relay import Relay


class Reporter:
    """Prints one line per check, and keeps it for the JSON report."""

    def __init__(self):
        self.started = time.monotonic()
        self.results, self.skipped = [], []
        # Seconds of each case, over all attempts.
        self.durations = {}
        self._is_last_attempt = True
        tty = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        self._green, self._red, self._dim, self._plain = ("\033[32m", "\033[31m", "\033[2m", "\033[0m") if tty else [""] * 4

    def progress(self, text):
        print(f"    {self._dim}{time.monotonic() - self.started:6.1f} s  {text}{self._plain}", flush=True)

    def skip(self, case, why):
        self.skipped.append({"case": case, "why": why})
        print(f"    skip {case}: {why}", flush=True)

    def check(self, case, what, passed, **values):
        self.results.append({"case": case, "check": what, "passed": bool(passed), "values": values})
        # A failure that will be tried again is marked differently: FAIL appears only if the run fails.
        red = "FAIL" if self._is_last_attempt else "red "
        mark = f"{self._green}ok  {self._plain}" if passed else f"{self._red}{red}{self._plain}"
        detail = ", ".join(f"{k.replace('_', ' ')} {v}" for k, v in values.items())
        print(f"    {mark} {case}: {what}" + (f" ({detail})" if detail else ""), flush=True)
        return bool(passed)

    def attempts(self, name, run, retries):
        """Runs a case, and again if it failed, because shared machines may stall. Failures before a completely successful attempt
        are shown and do not count.
        """
        ran, began = None, time.monotonic()
        for attempt in range(retries + 1):
            before = len(self.results)
            self._is_last_attempt = attempt == retries
            ran = run()
            now = self.results[before:]
            if all(result["passed"] for result in now):
                break
            if attempt < retries:
                for result in now:
                    result["superseded"] = True
                self.progress(f"{name}: once more")
        self._is_last_attempt = True
        self.durations[name] = round(time.monotonic() - began, 1)
        return ran

    def outcome(self):
        """Returns the checks that count, those of them that failed, and those that failed at first."""
        counted = [r for r in self.results if not r.get("superseded")]
        return (counted, [r for r in counted if not r["passed"]],
                [r for r in self.results if r.get("superseded") and not r["passed"]])

    def summary(self, ran):
        """Prints the last lines of a run: the number of passed checks, and all failures again."""
        counted, failed, stumbled = self.outcome()
        skipped = f", {len(self.skipped)} skipped" if self.skipped else ""
        print(f"    {len(counted) - len(failed)} of {len(counted)} checks passed in {ran} cases{skipped}, "
              f"{time.monotonic() - self.started:.0f} s", flush=True)
        if len(self.durations) > 1:
            longest = sorted(self.durations.items(), key=lambda item: -item[1])[:8]
            print(f"    {self._dim}longest: {', '.join(f'{case} {seconds:.0f} s' for case, seconds in longest)}{self._plain}", flush=True)
        for mark, results in (("red at first:", stumbled), ("FAIL", failed)):
            for result in results:
                print(f"        {mark} {result['case']}: {result['check']} {result['values'] or ''}", flush=True)


class Bench:
    """Environment of a case."""

    def __init__(self, arguments, reporter):
        self.binary = arguments.relay and pathlib.Path(arguments.relay).resolve()
        self.work = pathlib.Path(arguments.work).resolve()
        self.duration = arguments.duration
        self.reporter = reporter
        self._sources = {}

    def source(self, seconds=None, codec="VP8"):
        seconds = seconds or self.duration
        if (seconds, codec) not in self._sources:
            self.reporter.progress(f"source: {seconds} s of 720p30 in {codec} and a stereo tone")
            self._sources[seconds, codec] = media.Source(self.work / "sources", seconds, codec)
        return self._sources[seconds, codec]

    def folder(self, name):
        folder = self.work / name.replace(" ", "-")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

    def relay(self, folder, **options):
        return Relay(self.binary, folder, **options)


def run_case(bench, name, case):
    bench.reporter.progress(name)
    try:
        case(bench, name)
    except Exception as error:  # an exception in a case is a failure of that case, and does not end the run
        bench.reporter.check(name, f"{type(error).__name__}: {error}", False)
        with (bench.work / "errors.log").open("a") as log:
            log.write(traceback.format_exc())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--relay", metavar="PATH", help="the millrace binary")
    parser.add_argument("--direct", action="store_true", help="no relay: prove the command lines publisher to receiver")
    parser.add_argument("--duration", type=int, default=30, metavar="SECONDS", help="of the long runs (default 30)")
    parser.add_argument("--retries", type=int, default=0, metavar="N", help="runs of a case that failed, at most N more")
    parser.add_argument("--only", metavar="TEXT", action="append", help="only cases whose name has this text")
    parser.add_argument("--skip", metavar="TEXT", action="append", default=[], help="no cases whose name has this text")
    parser.add_argument("--json", metavar="FILE", help="results as JSON")
    parser.add_argument("--work", default="out/interop", metavar="DIR", help="artefacts (default out/interop)")
    parser.add_argument("--list", action="store_true", help="names of the cases")
    arguments = parser.parse_args()
    wanted = [(name, case) for name, case in (cases.DIRECT if arguments.direct else cases.ALL + readme.ALL + documents.ALL)
              if (not arguments.only or any(text in name for text in arguments.only))
              and not any(text in name for text in arguments.skip)]
    if arguments.list:
        print("\n".join(name for name, _ in wanted))
        return 0
    if not arguments.direct and not (arguments.relay and os.access(arguments.relay, os.X_OK)):
        parser.error("name the relay's binary (--relay), or run without one (--direct)")
    if arguments.duration < 4:
        parser.error("--duration: at least 4")

    clients.end_on_termination()
    clients.hurry()
    reporter = Reporter()
    bench = Bench(arguments, reporter)
    ran = 0
    for name, case in wanted:
        ran += 1
        reporter.attempts(name, lambda: run_case(bench, name, case), arguments.retries)
    counted, failed, stumbled = reporter.outcome()
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps({
            "seconds": round(time.monotonic() - reporter.started, 1), "cases": ran, "checks": len(counted),
            "failed": len(failed), "stumbled": len(stumbled), "durations": reporter.durations, "results": reporter.results}, indent=1) + "\n")
    reporter.summary(ran)
    return 1 if failed or not ran else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
