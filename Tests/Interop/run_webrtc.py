#!/usr/bin/env python3
"""Third-party WebRTC clients against the relay: aiortc, libwebrtc, Chromium, Firefox, GStreamer's whip-client and webrtcbin, Pion.

    python3 Tests/Interop/run_webrtc.py --relay .build/release/millrace
    python3 Tests/Interop/run_webrtc.py --relay .build/debug/millrace --fault drop-video --only aiortc
    python3 Tests/Interop/run_webrtc.py --relay .build/release/millrace --janus --only yardstick

Needs tools/setup to have run; uses the Python of .venv. Status: 0 all passed, 1 something failed, 2 bad usage.
"""

import argparse
import functools
import json
import os
import pathlib
import re
import sys
import time
import traceback

ROOT = pathlib.Path(__file__).resolve().parents[2]


def enter_environment():
    """Starts this program again with the Python that has aiortc, if this one lacks it."""
    try:
        import aiortc  # noqa: F401
    except ImportError:
        python = ROOT / ".venv/bin/python"
        if not python.exists() or sys.executable == str(python):
            sys.exit("aiortc is missing: run tools/setup")
        os.execv(python, [str(python), *sys.argv])


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--relay", metavar="PATH", help="the millrace binary")
    parser.add_argument("--older", metavar="PATH", help="the binary of an earlier version, for clusters of two versions")
    parser.add_argument("--duration", type=float, default=5, metavar="SECONDS", help="of watching in most cases (default 5)")
    parser.add_argument("--long", action="store_true", help="all cases, losses and times, for measurements")
    parser.add_argument("--janus", action="store_true", help="the yardstick cases also against Janus")
    parser.add_argument("--retries", type=int, default=0, metavar="N", help="runs of a case that failed, at most N more")
    parser.add_argument("--fault", metavar="NAME", help="of a relay built for tests: which checks notice it (status 0: some do)")
    parser.add_argument("--faults", action="store_true", help="every fault against the cases that must notice it")
    parser.add_argument("--only", metavar="TEXT", action="append",
                        help="only cases whose name has this text (with --faults: \"FAULT: NAME\")")
    parser.add_argument("--skip", metavar="TEXT", action="append", default=[], help="no cases whose name has this text")
    parser.add_argument("--json", metavar="FILE", help="results as JSON")
    parser.add_argument("--work", default="out/webrtc", metavar="DIR", help="artefacts (default out/webrtc)")
    parser.add_argument("--list", action="store_true", help="names of the cases")
    arguments = parser.parse_args()
    if not arguments.list and not (arguments.relay and os.access(arguments.relay, os.X_OK)):
        parser.error("name the relay's binary (--relay)")
    return arguments


def run_case(bench, name, case):
    """Runs a case; returns False if this machine cannot run it."""
    from webrtc.bench import Skip
    bench.reporter.progress(name)
    bench.folder(name)
    try:
        case(bench, name)
    except Skip as missing:
        bench.reporter.skip(name, f"needs {missing}")
        return False
    except Exception as error:  # an exception in a case is a failure of that case, and does not end the run
        bench.reporter.check(name, f"{type(error).__name__}: {error}", False)
        with (bench.work / "errors.log").open("a") as log:
            log.write(f"{name}\n{traceback.format_exc()}\n")
    finally:
        bench.end_case()
    return True


def red_checks(bench, name, case):
    """Runs a case; returns its failed checks."""
    before = len(bench.reporter.results)
    run_case(bench, name, case)
    return [result["check"] for result in bench.reporter.results[before:] if not result["passed"]]


def kind_of(check):
    """Removes bounds from the name of a check, which depend on the frame rate that the machine reaches."""
    return re.sub(r"[0-9.]+", "#", check)


def run_faults(bench, cases, faults, only):
    """Each fault must make checks fail in each of its cases, which pass without it."""
    ran, unnoticed, usual = 0, [], {}
    for fault, names in faults.items():
        for name in names:
            if only and not any(text in f"{fault}: {name}" for text in only):
                continue
            if name not in usual:
                bench.fault = None
                usual[name] = red_checks(bench, name, cases[name])
            bench.fault = fault
            before = set(map(kind_of, usual[name]))
            red = [check for check in red_checks(bench, name, cases[name]) if kind_of(check) not in before]
            ran += 1
            if not red:
                unnoticed.append(f"{fault}: {name}")
            bench.reporter.progress(f"{fault} in {name}: {len(red)} checks went red: {'; '.join(red)[:200]}")
            if usual[name]:
                bench.reporter.progress(f"red in {name} without it: {'; '.join(usual[name])[:200]}")
    return ran, unnoticed


def main():
    arguments = parse()
    sys.path.insert(0, str(ROOT / "Tests/Interop"))
    enter_environment()
    from webrtc import network
    if not arguments.list:
        network.enter()
    import clients
    from run import Reporter
    from webrtc import suite
    from webrtc.bench import Bench

    wanted = [(name, case) for name, case in suite.cases(arguments.long, arguments.janus)
              if (not arguments.only or any(text in name for text in arguments.only))
              and not any(text in name for text in arguments.skip)]
    if arguments.list:
        print("\n".join(name for name, _ in wanted))
        return 0
    clients.end_on_termination()
    clients.hurry()
    reporter = Reporter()
    bench = Bench(arguments, reporter)
    bench.work.mkdir(parents=True, exist_ok=True)
    unnoticed, ran = [], 0
    try:
        if arguments.faults:
            every = dict(suite.cases(True, False))
            ran, unnoticed = run_faults(bench, every, suite.FAULTS, arguments.only)
        else:
            retries = 0 if arguments.fault else arguments.retries
            ran = sum([reporter.attempts(name, functools.partial(run_case, bench, name, case), retries)
                       for name, case in wanted])
    finally:
        bench.stop()
    counted, failed, stumbled = reporter.outcome()
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps({
            "seconds": round(time.monotonic() - reporter.started, 1), "cases": ran, "checks": len(counted),
            "failed": len(failed), "stumbled": len(stumbled), "skipped": reporter.skipped, "load": os.getloadavg(), "fault": arguments.fault,
            "unnoticed": unnoticed, "durations": reporter.durations, "results": reporter.results}, indent=1) + "\n")
    if not arguments.faults:
        reporter.summary(ran)
    for line in unnoticed:
        print(f"        nobody noticed {line}", flush=True)
    if arguments.faults:
        return 1 if unnoticed or not ran else 0
    if arguments.fault:
        return 0 if failed else 1
    return 1 if failed or not (ran or reporter.skipped) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
