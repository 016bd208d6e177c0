#!/usr/bin/env python3
"""A relay under hostile packets and messages: it reports no fault, keeps running, and serves a clean session after each part.

    python3 Tests/Interop/run_hostile.py --relay .build/debug/millrace --hostile .build/debug/millrace-hostile
    python3 Tests/Interop/run_hostile.py ... --packets 1000000 --messages 100000       # as tools/test --address-sanitizer does
    python3 Tests/Interop/run_hostile.py ... --only feedback-overflow                  # an attack that succeeded in the past; --list names all

Parts: `packets` (noise, and mostly forged packets under valid keys, by plain SRTP and WebRTC, while canvases are read and all is recorded),
`messages` (the control protocol, all HTTP endpoints, broken HTTP; with hostile streams in the same sessions), and the checks.

Status: 0 all passed, 1 something failed, 2 bad usage.
"""

import argparse
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import threading
import time

import clients
from hostile import checks, messages, readers
from hostile.target import ENVIRONMENT, Target
from run import Reporter

STREAMS = ["plain", "webrtc", "simulcast", "framed"]
# Counters of the relay that show how far the packets got.
COUNTED = {
    "datagrams received": "millrace_datagrams_received_total", "RTP accepted": "millrace_packets_received_total",
    "RTCP accepted": "millrace_rtcp_received_total", "retransmissions received": "millrace_rtx_received_total",
    "packets forwarded": "millrace_packets_forwarded_total", "key frames asked": "millrace_key_frame_requests_received_total",
    "missing packets asked": "millrace_nacks_received_total", "WebRTC peers connected": "millrace_peers_connected_total",
    "handshakes failed": "millrace_peers_failed_total", "handshakes timed out": "millrace_peers_timed_out_total",
}


PARTS = [
    ("hostile packets", "packets"),
    ("hostile messages", "messages"),
]


def table(title, rows):
    print(f"    {title}")
    width = max((len(str(name)) for name, _ in rows), default=0)
    for name, value in rows:
        print(f"        {name:<{width}}  {value:>12,}" if isinstance(value, int) else f"        {name:<{width}}  {value:>12}")
    sys.stdout.flush()


class Driver(threading.Thread):
    """Runs `millrace-hostile` and reads its lines of progress."""

    def __init__(self, arguments, target, packets, seed, progress, rate=0):
        super().__init__(daemon=True)
        command = [arguments.hostile, "--url", target.url, "--packets", packets, "--seed", seed, "--sessions", arguments.sessions, "--rate", rate,
                   "--media-port", target.relay.media_port, "--webrtc-port", target.relay.webrtc_port, "--json"]
        self.process = subprocess.Popen([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env={**os.environ, **ENVIRONMENT})
        self.progress, self.lines, self.output = progress, [], ""
        self.start()

    def run(self):
        reader = threading.Thread(target=lambda: setattr(self, "output", self.process.stdout.read()), daemon=True)
        reader.start()
        for line in self.process.stderr:
            self.lines.append(line.strip())
            self.progress(line.strip())
        reader.join()
        self.process.wait()

    def report(self):
        try:
            return json.loads(self.output)
        except ValueError:
            return {}

    def stop(self):
        self.process.terminate()
        self.join(20)


def dropped(metrics):
    return {name.partition('"')[2].rstrip('"}'): int(value) for name, value in metrics.items()
            if name.startswith("millrace_packets_dropped_total") and value}


def part_packets(arguments, reporter, target, seed):
    case = PARTS[0][0]
    before = target.metrics()
    sessions = [f"hostile-{number}" for number in range(arguments.sessions)]
    with readers.Readers(target.port, sessions, STREAMS) as attached:
        driver = Driver(arguments, target, arguments.packets, seed, reporter.progress)
        while driver.is_alive():
            driver.join(2)
            try:
                target.metrics()
            except Exception:  # reported below
                if not target.process.running:
                    driver.stop()
        canvases = attached.totals()
    running = target.process.running
    reporter.check(case, "the relay runs on", running, **({} if running else {"log": target.process.tail(12)}))
    reporter.check(case, "no report", not target.reports(), **({"reports": target.reports()} if target.reports() else {}))
    report = driver.report()
    if not running or not report:
        reporter.check(case, "the driver reports", False, said=" / ".join(driver.lines[-3:]))
        return {}
    after = target.metrics()
    counted = {title: int(after.get(name, 0) - before.get(name, 0)) for title, name in COUNTED.items()}
    refused = {cause: count - dropped(before).get(cause, 0) for cause, count in dropped(after).items()}
    table(f"sent in {report['seconds']:.0f} s: {report['total']:,} packets", [(kind, count) for kind, count in report["sent"].items()]
          + [("under valid keys", report["authentic"]), ("ICE restarts", report["restarts"]), ("transports opened", report["opened"])])
    table("counted by the relay", list(counted.items()) + [(f"dropped: {cause}", count) for cause, count in sorted(refused.items())])
    table("read from canvases", [(f"{kind}: bodies", item["bodies"]) for kind, item in canvases.items()]
          + [(f"{kind}: MiB", item["bytes"] >> 20) for kind, item in canvases.items()] + [("peak memory, MiB", int(target.peak) >> 20)])
    accepted = counted["RTP accepted"] + counted["RTCP accepted"] + counted["retransmissions received"]
    reporter.check(case, "all packets were sent", report["total"] >= arguments.packets, packets=report["total"])
    # Noise would prove little: most packets have to reach the code after decryption.
    reporter.check(case, "most were authentic for the relay", accepted > 0.5 * report["total"], accepted=accepted)
    reporter.check(case, "all kinds of packets were sent", all(report["sent"].values()))
    reporter.check(case, "frames and audio were read from canvases", canvases["y4m"]["bytes"] > 0 and canvases["wav"]["bytes"] > 0)
    reporter.check(case, "ICE was restarted", report["restarts"] > 0, restarts=report["restarts"])
    return {"sent": report, "counted": counted, "dropped": refused, "canvases": canvases}


def part_messages(arguments, reporter, target, seed):
    case = PARTS[1][0]
    # Hostile streams that messages can subscribe to, mute and remove.
    driver = Driver(arguments, target, 1 << 60, seed + 1, lambda _: None, rate=400)
    try:
        counts = messages.run(target, arguments.messages, seed, reporter.progress)
    finally:
        driver.stop()
    running = target.process.running
    reporter.check(case, "the relay runs on", running, **({} if running else {"log": target.process.tail(12)}))
    reporter.check(case, "no report", not target.reports(), **({"reports": target.reports()} if target.reports() else {}))
    answered = counts.answered()
    rows = [(kind, f"{count:,} / {answered.get(kind, 0):,}") for kind, count in sorted(counts.by_kind.items())]
    table(f"messages: sent / answered, on {counts.connections:,} WebSockets", rows)
    results = [(name, count) for name, count in sorted(counts.answers.items(), key=lambda item: -item[1])[:30]]
    table("the most frequent answers", results)
    accepted = sum(count for name, count in counts.answers.items() if name.startswith("control ") and name.endswith(": result"))
    total = sum(answered.values())
    reporter.check(case, "all messages were sent", counts.sent >= arguments.messages and not counts.failure, messages=counts.sent,
                   **({"failure": counts.failure} if counts.failure else {}))
    # Half of the connections end with a message for which the relay must close them, and what was sent after it has no answer.
    reporter.check(case, "most were answered", total > 0.5 * (counts.sent - counts.cut_off), answered=total, cut_off=counts.cut_off)
    reporter.check(case, "requests on open connections were answered", counts.unanswered < 0.1 * counts.sent, unanswered=counts.unanswered)
    reporter.check(case, "requests were accepted too", accepted > 0.02 * counts.sent, accepted=accepted)
    return {"sent": dict(counts.by_kind), "answers": dict(counts.answers), "connections": counts.connections, "closed": dict(counts.closed)}


def probe(reporter, target, number, after):
    faults = target.probe(number)
    reporter.check(f"clean session after {after}", "media arrives, a still and the recording can be decoded", not faults,
                   **({"faults": faults} if faults else {}))


def recordings(arguments, reporter, target):
    """Recordings of hostile streams are readable files; they may be reported as damaged."""
    case = "recordings of hostile streams"
    files = sorted(target.recordings.rglob("*.webm"))
    # The largest ones and some others: each is decoded by the build under test.
    files.sort(key=lambda path: -path.stat().st_size)
    chosen = files[:10] + files[10::max(1, len(files) // 20)][:20]
    crashed = []
    for file in chosen:
        result = subprocess.run([str(target.binary), "decode", "--verify", str(file)], capture_output=True, text=True, check=False, timeout=600,
                                env={**os.environ, **ENVIRONMENT})
        if result.returncode not in (0, 1) or "Sanitizer" in result.stderr:
            crashed.append(f"{file.name}: status {result.returncode} {result.stderr[-200:]}")
    reporter.check(case, "all can be read", files and not crashed, files=len(files), decoded=len(chosen), **({"crashed": crashed} if crashed else {}))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--relay", type=pathlib.Path, help="the millrace binary")
    parser.add_argument("--hostile", type=pathlib.Path, help="the millrace-hostile binary; by default next to it")
    parser.add_argument("--packets", type=int, default=20_000)
    parser.add_argument("--messages", type=int, default=2_000)
    parser.add_argument("--sessions", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", metavar="NAME", help="only this part or check; may be repeated")
    parser.add_argument("--checks", action="store_true", help="all checks as well, after packets and messages")
    parser.add_argument("--list", action="store_true", help="names of the parts and checks")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("out/hostile"))
    parser.add_argument("--json", type=pathlib.Path, help="where the results go")
    arguments = parser.parse_args()
    if arguments.list:
        print("packets", "messages", *checks.ALL, sep="\n")
        return 0
    names = arguments.only or ["packets", "messages", *(checks.ALL if arguments.checks else ())]
    if unknown := [name for name in names if name not in ("packets", "messages", *checks.ALL)]:
        parser.error(f"unknown: {', '.join(unknown)} (see --list)")
    if not arguments.relay:
        parser.error("--relay is missing")
    arguments.relay = arguments.relay.resolve()
    arguments.hostile = (arguments.hostile or arguments.relay.parent / "millrace-hostile").resolve()
    clients.end_on_termination()
    # Some attacks hold more open files than the usual soft limit of 1,024.
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    shutil.rmtree(arguments.work, ignore_errors=True)
    arguments.work.mkdir(parents=True)
    arguments.work = arguments.work.resolve()
    reporter, found = Reporter(), {}
    if "packets" in names or "messages" in names:
        target = Target(arguments.relay, arguments.work)
        try:
            probe(reporter, target, 1, "start")
            if "packets" in names:
                found["packets"] = part_packets(arguments, reporter, target, arguments.seed)
                if target.process.running:
                    probe(reporter, target, 2, "hostile packets")
            if "messages" in names and target.process.running:
                found["messages"] = part_messages(arguments, reporter, target, arguments.seed)
                if target.process.running:
                    probe(reporter, target, 3, "hostile messages")
            status = target.stop()
            reporter.check("end", "status 0 and no report", status == 0 and not target.reports(), status=status)
            recordings(arguments, reporter, target)
        finally:
            target.stop()
    bench = checks.Bench(arguments.relay, arguments.hostile, arguments.work, reporter)
    for name in names:
        if name in checks.ALL:
            try:
                checks.ALL[name](bench, name)
            except Exception as error:  # an exception in a check is a failure of that check, and does not end the run
                reporter.check(name, f"{type(error).__name__}: {error}", False)
            finally:
                for target in bench.targets:
                    target.stop()
    reporter.summary(len(names))
    counted, failed, _ = reporter.outcome()
    if arguments.json:
        arguments.json.write_text(json.dumps({"results": reporter.results, **found}, indent=1, default=str))
    return 1 if failed or not counted else 0


if __name__ == "__main__":
    sys.exit(main())
