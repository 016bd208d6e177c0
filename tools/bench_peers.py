"""CPU time of whole relays for each packet that they deliver, by turns: Millrace, any relays with WHIP and WHEP, and the C baseline.

Publishers and subscribers are separate processes (millrace-bench), the same for every relay. Each subscriber has its own connection and
receives one stream. Two halves are measured:
  loopback  subscribers read and count all packets, on the same machine: the receiving half of the kernel's work, which the kernel does in the
            sender's system call, counts as the relay's
  transmit  RTP is counted and dropped where the stack hands it to the device, a veth in a network namespace: only the transmit half counts,
            as with a network card (its driver excluded). Needs root
The CPU time is that of all threads of the process and of its children, in user and kernel mode. It is divided by the delivered packets:
with feedback, retransmissions and probes are among them. "no feedback" subscribers negotiate no bandwidth feedback and send only
connectivity checks; "feedback" ones send transport-wide feedback and receiver reports as a browser does.

A peer that runs already is measured where it is, in both halves. With --start the command starts the peer itself, for the transmit
half in the namespace in which Millrace runs too: {address} in its command and URLs is the address there.

Exit code: 0; 1 if a measurement failed or --max-ratio is not met; 2 bad usage, or a half that this machine or user cannot measure.

  tools/bench peers --janus
  tools/bench peers --peer 'other,http://127.0.0.1:8080/whip/{stream},http://127.0.0.1:8080/whep/{stream},4711'
  tools/bench peers --start 'other=/opt/relay --bind {address}' --peer 'other,http://{address}:8080/whip/{stream},http://{address}:8080/whep/{stream},-'
"""

import argparse
import contextlib
import dataclasses
import itertools
import json
import os
import pathlib
import re
import secrets
import shlex
import socket
import statistics
import subprocess
import sys
import time
import urllib.parse

from bench_network import EgressFilter, Namespace, egress_drop, own_address, shares_network
from bench_process import Failed, Impossible, ROOT, Worker, cpu, load_average, processor, program, spent, started, stopped

# Share of lost packets above which the cost of Millrace is no figure.
LOST = 0.005
SUITES = {"cm": "AES_CM_128_HMAC_SHA1_80", "gcm": "AEAD_AES_128_GCM"}
OWN = "Millrace"


@dataclasses.dataclass
class Load:
    """What publishers send. `group` is the number of packets that a C program with the same input gets at once."""
    name: str
    video: bool
    payload: int
    variation: int
    burst: int
    rate: float
    pacing: str
    group: int
    publishers: int = 1
    together: bool = True

    def order(self):
        return {"publishers": self.publishers, "isVideo": self.video, "payload": self.payload, "variation": self.variation,
                "burst": self.burst, "perSecond": self.rate, "pacing": self.pacing, "together": self.together}

    @property
    def description(self):
        sizes = f"{self.payload - self.variation} to {self.payload + self.variation}" if self.variation else str(self.payload)
        return f"{self.publishers} x {self.burst * self.rate:.0f} packets a second, payloads of {sizes} bytes"


def loads(names, opus_publishers):
    """Returns the loads with these names."""
    known = {
        "burst": Load("video burst", True, 1200, 0, 10, 30, "burst", 10),
        "pacer": Load("video pacer", True, 1200, 0, 10, 30, "pacer", 4),
        "even": Load("video even", True, 1200, 0, 10, 30, "even", 1),
        "audio": Load("audio", False, 120, 0, 1, 50, "burst", 1),
        "opus": Load(f"{opus_publishers} Opus", False, 110, 50, 1, 50, "burst", 1, opus_publishers, False),
    }
    for name in names:
        if name not in known:
            raise argparse.ArgumentTypeError(f"{name}: loads are {', '.join(known)}")
    return [known[name] for name in names]


@dataclasses.dataclass
class Peer:
    """Relay of an entry --peer."""
    name: str
    whip: str
    whep: str
    pids: list
    token: str = None
    command: str = None

    def at(self, address):
        """Returns the same peer with its URLs at an address."""
        return dataclasses.replace(self, whip=self.whip.replace("{address}", address), whep=self.whep.replace("{address}", address))

    @property
    def host(self):
        return urllib.parse.urlsplit(self.whep).hostname

    @property
    def takes_streams(self):
        """Returns whether several publishers can be told apart."""
        return "{stream}" in self.whip and "{stream}" in self.whep


def peer(text):
    """Returns the peer of an argument NAME,WHIP_URL,WHEP_URL,PID[,TOKEN]; PID may be several with + between them, or - with --start."""
    parts = text.split(",")
    if len(parts) not in (4, 5) or not re.fullmatch(r"[A-Za-z0-9._ -]{1,24}", parts[0]):
        raise argparse.ArgumentTypeError(f"{text}: NAME,WHIP_URL,WHEP_URL,PID[,TOKEN] with a name of at most 24 letters and digits")
    name, whip, whep, pids, *token = parts
    if name == OWN:
        raise argparse.ArgumentTypeError(f"{name} is the name of the relay that the command starts itself")
    for url in (whip, whep):
        split = urllib.parse.urlsplit(url)
        if split.scheme not in ("http", "https") or not split.hostname:
            raise argparse.ArgumentTypeError(f"{url} is not an http or https URL")
    try:
        numbers = [] if pids == "-" else [int(pid) for pid in pids.split("+")]
    except ValueError:
        numbers = [0]
    if any(number < 1 for number in numbers):
        raise argparse.ArgumentTypeError(f"{pids} is not a process id, several with + between them, or -")
    return Peer(name, whip, whep, numbers, token[0] if token else None)


def with_commands(peers, starts):
    """Returns the peers with the commands of NAME=COMMAND. Raises ValueError if one has both or neither of a command and a process."""
    commands = {}
    for text in starts:
        name, equals, command = text.partition("=")
        if not equals or not command.strip() or name in commands:
            raise ValueError(f"--start {text}: NAME=COMMAND, once for each name")
        commands[name] = command
    names = [each.name for each in peers]
    if len(set(names)) != len(names):
        raise ValueError("two peers have the same name")
    unknown = sorted(commands.keys() - set(names))
    if unknown:
        raise ValueError(f"--start {unknown[0]}: there is no such --peer")
    result = []
    for each in peers:
        command = commands.get(each.name)
        if bool(each.pids) == bool(command):
            raise ValueError(f"{each.name}: give a process id, or - and --start")
        if not command and "{address}" in each.whip + each.whep:
            raise ValueError(f"{each.name}: {{address}} needs --start")
        result.append(dataclasses.replace(each, command=command))
    return result


@dataclasses.dataclass
class Figure:
    """One measurement of one program."""
    nanoseconds: float
    delivered: int = 0
    seconds: float = 0
    cpu_share: float = 0
    rtcp_rate: float = 0
    latest: float = 0
    # Share of all packets since the connections that was not delivered; retransmissions and probes do not replace them.
    lost: float = 0


@dataclasses.dataclass
class State:
    """Counters at one time."""
    cpu: tuple
    time: float
    published: dict
    received: dict
    dropped: int = None

    @property
    def delivered(self):
        """Returns the packets that reached a socket or, in the transmit half, the device."""
        return self.received["packets"] if self.dropped is None else self.dropped


def figure(window, whole, load, subscribers):
    """Returns the figure of the measured time, given by the states at its ends; `whole` are the states while nothing was sent."""
    (first, last), (begin, end) = window, whole
    delivered = last.delivered - first.delivered
    if delivered <= 0:
        raise Failed("no packet was delivered")
    if end.published["ended"] or end.received["ended"]:
        raise Failed(f"{end.published['ended']} publishers and {end.received['ended']} subscribers lost their connection")
    if end.received["unauthentic"]:
        raise Failed(f"{end.received['unauthentic']} packets of the first subscriber did not fit its keys")
    time_spent, cpu_spent = last.time - first.time, spent(first.cpu, last.cpu)
    rtcp = sum(last.received[kind] - first.received[kind] for kind in ("feedback", "reports"))
    expected = (end.published["sent"] - begin.published["sent"]) / load.publishers * subscribers
    media = end.delivered - begin.delivered - (end.received["repairs"] - begin.received["repairs"])
    return Figure(cpu_spent / delivered, delivered, time_spent, cpu_spent / 1e9 / time_spent, rtcp / time_spent, last.published["latest"],
                  1 - media / expected)


def summary(rounds, own=OWN):
    """Returns, for each program of rounds {name: Figure}, the figure with the median cost, the median of its ratios to `own` in the same
    round, and the median of the opposite ratios. Rounds in which either is absent are left out of the ratios."""
    result = {}
    for name in dict.fromkeys(name for each in rounds for name in each):
        figures = sorted((each[name] for each in rounds if name in each), key=lambda each: each.nanoseconds)
        ratios = [each[name].nanoseconds / each[own].nanoseconds for each in rounds if name in each and own in each]
        result[name] = (figures[(len(figures) - 1) // 2], statistics.median(ratios) if ratios else None,
                        statistics.median(1 / ratio for ratio in ratios) if ratios else None)
    return result


def floor_commands(load, subscribers, suite, seconds, base, half):
    """Returns the commands of the C baseline: all programs in a tight loop, and `best` at the pace of the load."""
    # Subscribers are spread over the publishers: each packet is forwarded to this number of them.
    copies = max(1, subscribers // load.publishers)
    common = ["--subs", copies, "--payload", load.payload, "--burst", load.group, "--cipher", suite, "--base", base]
    if half == "transmit":
        common += ["--sink", "none"]
    prefix = ["./nsdrop", "egress", "--"] if half == "transmit" else []
    # The packets of several publishers that do not send together arrive one by one.
    pace = load.rate * load.burst * load.publishers / load.group
    return [[*map(str, [*prefix, "./fanout_floor", *options, *common])]
            for options in (["--mode", "compare", "--seconds", min(2, seconds)], ["--mode", "best", "--pace", pace, "--seconds", seconds])]


def floor_figures(outputs):
    """Returns the figures of the outputs of `floor_commands`."""
    result = {}
    for output, suffix in zip(outputs, ("", " paced")):
        for line in output.splitlines():
            row = json.loads(line)
            result[f"C {row['mode']}{suffix}"] = Figure(row["ns_median"], row["packets"])
    return result


def free_port():
    with socket.socket() as free:
        free.bind(("0.0.0.0", 0))
        return free.getsockname()[1]


class Bench:
    def __init__(self, arguments):
        self.arguments = arguments
        self.relays, self.namespace, self.number = [], None, 0
        self.address = "127.0.0.1"
        self.failures, self.skipped = [], set()

    # MARK: relays

    def begin(self, half):
        """Starts Millrace, and the peers that have commands, for a half."""
        if half == "transmit":
            self.namespace = Namespace()
            self.address = self.namespace.address
        else:
            self.address = self.arguments.loopback_address
        prefix = self.namespace.prefix if self.namespace else []
        self.entries = [self.own(prefix)]
        for each in self.arguments.peers:
            entry = each.at(self.address)
            if each.command:
                command = shlex.split(each.command.replace("{address}", self.address))
                entry.pids = [self.launch(each.name, [*prefix, *command], entry.whip)]
            self.entries.append(entry)

    def own(self, prefix):
        port = free_port()
        token, many = secrets.token_hex(16), str(100_000)
        command = [*prefix, self.arguments.relay, "serve", "--http-address", self.address, "--http-port", port, "--insecure-http",
                   "--media-address", self.address, "--media-advertised", self.address, "--media-port", "0", "--webrtc-port", "0",
                   "--no-webrtc-tcp", "--media-workers", self.arguments.workers, "--whip-token", token, "--whep-token", token,
                   "--admin-token", token, "--limit-transports-per-address", many, "--log-level", "warning"]
        base = f"http://{self.address}:{port}"
        pid = self.launch(OWN, command, base)
        return Peer(OWN, base + "/whip/{session}?stream={stream}", base + "/whep/{session}/{stream}", [pid], token)

    def launch(self, name, command, url):
        log = open(ROOT / "out" / f"bench-relay-{re.sub('[^A-Za-z0-9]', '-', name)}.log", "w+")
        process = started(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        log.close()
        self.relays.append(process)
        split = urllib.parse.urlsplit(url)
        end = time.monotonic() + 30
        while time.monotonic() < end and process.poll() is None:
            with socket.socket() as probe:
                probe.settimeout(1)
                if probe.connect_ex((split.hostname, split.port or (443 if split.scheme == "https" else 80))) == 0:
                    return process.pid
            time.sleep(0.05)
        raise Failed(f"{name} did not start: {pathlib.Path(log.name).read_text()[-500:]}")

    def end(self):
        for process in self.relays:
            stopped(process)
        self.relays = []
        if self.namespace:
            self.namespace.stop()
        self.namespace = None

    # MARK: measurements

    def measure(self, entry, load, subscribers, feedback, half):
        arguments = self.arguments
        for pid in entry.pids:
            if not os.path.isdir(f"/proc/{pid}"):
                raise Failed(f"process {pid} does not exist")
        self.number += 1
        address = arguments.address or own_address(entry.host)
        order = {**load.order(), "whip": entry.whip, "whep": entry.whep, "token": entry.token, "session": f"bench-{os.getpid()}-{self.number}",
                 "address": address, "base": arguments.base, "subscribers": subscribers, "feedback": feedback, "suite": SUITES[arguments.suite]}
        workers = []
        dropped = None
        try:
            for name in ("publishers", "subscribers"):
                workers.append(Worker(name, [arguments.bench, name], order))
                workers[-1].line()
            if half == "transmit":
                if shares_network(entry.pids[0]):
                    raise Failed("the relay is in the network namespace of this command, where other programs would lose packets; name its command"
                                 " with --start")
                dropped = EgressFilter(entry.pids[0], address, arguments.base, arguments.base + subscribers - 1)
            def state(**request):
                reports = [worker.ask(**request) for worker in workers]
                return State(cpu(entry.pids), time.monotonic(), *reports, dropped.counts()["packets"] if dropped else None)

            whole = [self.still(state)]
            workers[0].ask(pauses=False)
            time.sleep(arguments.warm_up)
            window = [state()]
            time.sleep(arguments.seconds)
            window.append(state())
            whole.append(self.still(state))
            return figure(window, whole, load, subscribers)
        finally:
            for worker in reversed(workers):
                worker.stop()
            if dropped:
                dropped.stop()

    @staticmethod
    def still(state):
        """Returns the state after the publishers have paused and the last packets have arrived."""
        state(pauses=True)
        time.sleep(0.3)
        return state()

    def floor(self, load, subscribers, half):
        folder = ROOT / "Benchmarks/floor"
        if self.arguments.no_floor or not (folder / "fanout_floor").exists():
            return {}
        outputs = []
        for command in floor_commands(load, subscribers, self.arguments.suite, self.arguments.seconds, self.arguments.base, half):
            process = started(command, cwd=folder, stdout=subprocess.PIPE, text=True)
            try:
                outputs.append(process.communicate()[0])
            finally:
                stopped(process)
            if process.returncode != 0:
                raise Failed(f"{' '.join(command)} failed")
        return floor_figures(outputs)

    @contextlib.contextmanager
    def noting(self, title):
        """Notes a failed measurement and goes on with the next one."""
        try:
            yield
        except Failed as failure:
            self.failures.append(f"{title}: {failure}")
            print(f"bench peers: {self.failures[-1]}", file=sys.stderr)

    def row(self, load, subscribers, feedback, half):
        """Returns the result of all rounds of a load."""
        rounds = []
        for _ in range(self.arguments.rounds):
            one = {}
            for entry in self.entries:
                if load.publishers > 1 and not entry.takes_streams:
                    self.skipped.add(f"{entry.name}, {load.name}: its URLs have no {{stream}}")
                    continue
                with self.noting(f"{entry.name}, {load.name}, {subscribers} subscribers, {half}"):
                    one[entry.name] = self.measure(entry, load, subscribers, feedback, half)
            with self.noting(f"C baseline, {load.name}, {subscribers} subscribers, {half}"):
                one.update(self.floor(load, subscribers, half))
            rounds.append(one)
        return summary(rounds)


HEADER = (f"{'half':8}  {'feedback':8}  {'load':12}  {'N':>4}  {'program':22}  {'ns/packet':>9}  {'x ' + OWN:>10}  {'packets/s':>9}  {'lost %':>6}"
          f"  {'CPU %':>6}  {'RTCP/s':>6}  {'late ms':>7}")


def lines(half, feedback, load, subscribers, results):
    """Returns the lines of a table."""
    for name, (each, ratio, _) in results.items():
        text = (f"{half:8}  {'yes' if feedback else 'no':8}  {load.name:12}  {subscribers:4}  {name:22}  {each.nanoseconds:9.0f}"
                f"  {'-' if ratio is None else f'{ratio:.2f}':>10}")
        if each.seconds:
            text += (f"  {each.delivered / each.seconds:9.0f}  {100 * each.lost:6.2f}  {100 * each.cpu_share:6.1f}  {each.rtcp_rate:6.0f}"
                     f"  {each.latest:7.1f}")
        yield text


def exceeded(results, peers, limit):
    """Returns the peers compared with which Millrace costs more than `limit` times as much, and those that it could not be compared with."""
    found = []
    for name in peers:
        ratio = results[name][2] if name in results else None
        if ratio is None:
            found.append(f"not compared with {name}")
        elif ratio > limit:
            found.append(f"{ratio:.2f} times the cost of {name}")
    return found


def losses(results):
    """Returns what Millrace has lost, if it is too much for a figure."""
    share = results[OWN][0].lost if OWN in results else 0
    return [f"{OWN} lost {100 * share:.1f} % of the packets"] if share > LOST else []


def numbers(text):
    try:
        values = [int(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text}: numbers with commas between them") from None
    if not all(1 <= value <= 3000 for value in values):
        raise argparse.ArgumentTypeError(f"{text}: numbers of 1 to 3000")
    return values


def with_janus(arguments):
    """Adds Debian's Janus to the peers."""
    # Nothing is sent: the kernel only looks up the route (RFC 5737 address).
    arguments.loopback_address = arguments.loopback_address or own_address("198.51.100.1")
    port = free_port()
    arguments.peers.append(peer("Janus," + ",".join(f"http://{{address}}:{port}/{kind}/{{session}}/{{stream}}" for kind in ("whip", "whep")) + ",-"))
    arguments.start.append(f"Janus={shlex.join([sys.executable, str(ROOT / 'tools/bench_janus.py')])} --address {{address}} --port {port}")


def arguments_of(given=None):
    parser = argparse.ArgumentParser(prog="tools/bench peers", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--relay", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--bench", help=argparse.SUPPRESS)
    parser.add_argument("--peer", action="append", type=peer, default=[], dest="peers", metavar="NAME,WHIP_URL,WHEP_URL,PID[,TOKEN]",
                        help="a relay; {session} and {stream} in its URLs are names, several PIDs have + between them, - with --start")
    parser.add_argument("--start", action="append", default=[], metavar="NAME=COMMAND", help="starts this peer; {address} is its address")
    parser.add_argument("--subscribers", type=numbers, default=[10, 50, 200], help="numbers of subscribers (default 10,50,200)")
    parser.add_argument("--loads", default="burst,pacer,even,audio,opus",
                        help="burst (10 packets at once), pacer (4+4+2, 5 ms apart), even, audio, opus (default all)")
    parser.add_argument("--opus-publishers", type=int, default=10, help="publishers of the load opus, 2 to 12 (default 10)")
    parser.add_argument("--halves", default="loopback,transmit", help="loopback, transmit or both (default both)")
    parser.add_argument("--feedback", choices=["yes", "no", "both"], default="both",
                        help="feedback of the subscribers on loopback (default both); without their packets, as in the transmit half, there is none")
    parser.add_argument("--suite", choices=list(SUITES), default="cm", help="SRTP suite (default cm, AES-CM with HMAC-SHA1)")
    parser.add_argument("--rounds", type=int, default=3, help="times that the programs take turns (default 3)")
    parser.add_argument("--seconds", type=float, default=3, help="length of each measurement (default 3)")
    parser.add_argument("--warm-up", type=float, default=3, help="seconds of load before each (default 3)")
    parser.add_argument("--workers", type=int, default=1, help="media threads of Millrace (default 1)")
    parser.add_argument("--address", help="local address of publishers and subscribers (default: that of the route to the relay)")
    parser.add_argument("--loopback-address",
                        help="address of this machine at which the command starts relays for the half loopback (default 127.0.0.1; with --janus that of"
                             " the default route, because Janus ignores loopback interfaces)")
    parser.add_argument("--janus", action="store_true", help="also Debian's Janus, with the WHIP and WHEP endpoints of tools/bench_janus.py")
    parser.add_argument("--base", type=int, default=26_000, help="first UDP port of the subscribers (default 26000)")
    parser.add_argument("--no-floor", action="store_true", help="without the C baseline")
    parser.add_argument("--max-ratio", type=float, default=0, help="maximum of Millrace's cost relative to each peer in each row; 0: any")
    parser.add_argument("--json", metavar="FILE", help="figures as JSON; - is standard output, without a table")
    arguments = parser.parse_args(given)
    try:
        if arguments.janus:
            with_janus(arguments)
        arguments.loopback_address = arguments.loopback_address or "127.0.0.1"
        arguments.loads = loads(arguments.loads.split(","), arguments.opus_publishers)
        arguments.peers = with_commands(arguments.peers, arguments.start)
    except (argparse.ArgumentTypeError, ValueError, Failed) as error:
        parser.error(str(error))
    arguments.halves = arguments.halves.split(",")
    if not set(arguments.halves) <= {"loopback", "transmit"}:
        parser.error("--halves: loopback, transmit")
    if not 2 <= arguments.opus_publishers <= 12 or arguments.rounds < 1 or arguments.seconds < 0.5 or arguments.warm_up < 0:
        parser.error("--opus-publishers 2 to 12, --rounds at least 1, --seconds at least 0.5, --warm-up at least 0")
    if not 20_000 <= arguments.base <= 30_000 - max(arguments.subscribers):
        parser.error("the subscribers' ports are within 20000 to 29999")
    if arguments.max_ratio and not arguments.peers:
        parser.error("--max-ratio needs a --peer")
    arguments.bench = arguments.bench or str(pathlib.Path(arguments.relay).parent / "millrace-bench")
    for program in (arguments.relay, arguments.bench):
        if not os.access(program, os.X_OK):
            parser.error(f"{program} cannot be executed")
    return arguments


def go(arguments):
    (ROOT / "out").mkdir(exist_ok=True)
    if "transmit" in arguments.halves:
        # Fails at once if this half is not possible here.
        Namespace().stop()
        egress_drop()
    bench, rows, missed = Bench(arguments), [], []
    head = {"processor": processor(), "loadAverage": load_average(), "suite": SUITES[arguments.suite], "rounds": arguments.rounds,
            "seconds": arguments.seconds}
    table = arguments.json != "-"
    if table:
        print(f"{head['processor']}; load average {head['loadAverage']:.1f} before the start")
        print(f"CPU nanoseconds of the whole process for each delivered packet, {head['suite']}; rounds: {arguments.rounds}, of"
              f" {arguments.seconds:g} s each; medians of them, and of the ratios to {OWN} in the same round")
        for load in arguments.loads:
            print(f"  {load.name}: {load.description}")
        print(HEADER, flush=True)
    try:
        for half in arguments.halves:
            try:
                bench.begin(half)
                measure_half(bench, half, table, rows, missed)
            finally:
                bench.end()
    finally:
        # Also the rows so far, if the command was interrupted.
        if arguments.json:
            text = json.dumps({**head, "rows": rows, "failures": bench.failures, "missed": missed, "skipped": sorted(bench.skipped)}, indent=1) + "\n"
            if table:
                pathlib.Path(arguments.json).write_text(text)
            else:
                sys.stdout.write(text)
    for line in sorted(bench.skipped):
        print(f"bench peers: not measured: {line}", file=sys.stderr)
    for line in missed:
        print(f"bench peers: --max-ratio {arguments.max_ratio:g}: {line}", file=sys.stderr)
    return 1 if missed or bench.failures else 0


def measure_half(bench, half, table, rows, missed):
    """Measures all loads of a half, prints them, and adds to the rows and to the limits that are missed."""
    arguments = bench.arguments
    kinds = {"yes": [True], "no": [False], "both": [False, True]}[arguments.feedback] if half == "loopback" else [False]
    for feedback, load, subscribers in itertools.product(kinds, arguments.loads, arguments.subscribers):
        results = bench.row(load, subscribers, feedback, half)
        if table:
            for line in lines(half, feedback, load, subscribers, results):
                print(line, flush=True)
        title = f"{half}, {load.name}, {subscribers} subscribers"
        for loss in losses(results):
            bench.failures.append(f"{title}: {loss}")
            print(f"bench peers: {bench.failures[-1]}", file=sys.stderr)
        if arguments.max_ratio:
            peers = [each.name for each in arguments.peers if load.publishers == 1 or each.takes_streams]
            missed += [f"{title}: {text}" for text in exceeded(results, peers, arguments.max_ratio)]
        rows += [{"half": half, "feedback": feedback, "load": load.name, "publishers": load.publishers, "subscribers": subscribers, "program": name,
                  **dataclasses.asdict(each), "lost": each.lost, "ratioToMillrace": ratio, "millraceRatio": inverse}
                 for name, (each, ratio, inverse) in results.items()]


if __name__ == "__main__":
    options = arguments_of()
    sys.exit(program("bench peers", lambda: go(options), advice="; --halves loopback measures without it"))
