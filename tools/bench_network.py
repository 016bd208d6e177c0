"""Parts of the benchmarks of whole relays: processes that end with the program, their CPU time, a network namespace behind a veth pair, and
the filter that drops media where the kernel's stack hands it to the device (Benchmarks/floor/egress_drop.c)."""

import ctypes
import json
import os
import pathlib
import signal
import socket
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TICK = 1_000_000_000 // os.sysconf("SC_CLK_TCK")


class Impossible(Exception):
    """This machine, or this user, cannot do what was asked for."""


class Failed(Exception):
    """A measurement failed."""


def end_in_order():
    """Makes Ctrl-C and SIGTERM raise KeyboardInterrupt, once: the end of the processes is not interrupted again."""
    def interrupted(*_):
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, interrupted)


def end_with_parent():
    """Makes the kernel kill this child when the program ends, however it ends. Called in the child."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def started(command, **options):
    """Starts a process with a session of its own, so that Ctrl-C reaches only the program, which then ends the process in order."""
    return subprocess.Popen(list(map(str, command)), start_new_session=True, preexec_fn=end_with_parent, **options)


def members(session):
    """Returns the processes of a session. Those that Swift's Process starts have a process group of their own in it."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(path.read_text().rsplit(")", 1)[1].split()[3]) == session:
                found.append(int(path.parent.name))
        except (OSError, IndexError, ValueError):
            pass
    return found


def stopped(process, patience=10):
    """Ends a process: first the end of its input, then SIGTERM, then SIGKILL. Kills the processes of its session that it leaves behind."""
    if process is None:
        return
    if process.stdin is not None:
        try:
            process.stdin.close()
        except OSError:
            pass
    else:
        process.terminate()
    for end in (process.terminate, process.kill):
        try:
            process.wait(patience)
            break
        except subprocess.TimeoutExpired:
            end()
    process.wait()
    for pid in members(process.pid):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    if process.stdout is not None:
        process.stdout.close()


class Worker:
    """Process that reads lines of JSON and answers each with one. Its messages on standard error are kept for the case that it fails."""

    def __init__(self, name, command, order=None):
        self.name = name
        self.log = open(ROOT / "out" / f"bench-{name}.log", "w+")
        self.process = started(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True)
        if order is not None:
            self.write(order)

    def write(self, order):
        try:
            self.process.stdin.write(json.dumps(order) + "\n")
            self.process.stdin.flush()
        except OSError:
            self.fail()

    def line(self):
        text = self.process.stdout.readline()
        if not text:
            self.fail()
        return text.strip()

    def fail(self):
        stopped(self.process)
        self.log.seek(0)
        raise Failed(f"{self.name}: {self.log.read().strip()[-300:] or 'ended without a message'}")

    def ask(self, **request):
        """Returns the report of now."""
        self.write({"clients": [], **request})
        return json.loads(self.line())

    def stop(self):
        stopped(self.process)
        self.log.close()


def family(pids):
    """Returns these processes and the processes that they have started."""
    found = []
    queue = list(pids)
    while queue:
        pid = queue.pop(0)
        if pid in found:
            continue
        found.append(pid)
        for path in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
            try:
                queue += map(int, path.read_text().split())
            except OSError:
                pass
    return found


def cpu(pids):
    """Returns the CPU time of processes and their children so far: nanoseconds by thread, and the kernel's ticks by process, which include
    threads that have ended."""
    threads, ticks = {}, {}
    for pid in family(pids):
        for path in pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat"):
            try:
                threads[pid, int(path.parent.name)] = int(path.read_text().split()[0])
            except (OSError, IndexError, ValueError):
                pass
        try:
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            ticks[pid] = int(fields[11]) + int(fields[12])
        except (OSError, IndexError, ValueError):
            pass
    return threads, ticks


def spent(before, after, tick=TICK):
    """Returns the CPU nanoseconds between two results of `cpu`: those of the threads, which are exact; if threads ended in between, those of
    the ticks, which are less exact and include them."""
    (threads_before, ticks_before), (threads_after, ticks_after) = before, after
    exact = sum(time - threads_before.get(thread, 0) for thread, time in threads_after.items())
    coarse = sum(count - ticks_before.get(pid, 0) for pid, count in ticks_after.items()) * tick
    return coarse if coarse > exact * 1.02 + 4 * tick else exact


def processor():
    """Returns the name of the processor and the number of usable ones."""
    values = {}
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        key, _, value = line.partition(":")
        values.setdefault(key.strip(), value.strip())
    name = values.get("model name") or values.get("CPU part") or os.uname().machine
    detail = f" (family {values['cpu family']}, model {values['model']})" if "cpu family" in values and "model" in values else ""
    return f"{name}{detail}, {len(os.sched_getaffinity(0))} processors, Linux {os.uname().release}"


def load_average():
    return os.getloadavg()[0]


def own_address(host, port=9):
    """Returns the local address from which datagrams to a host leave."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((host, port))
        except OSError as error:
            raise Failed(f"{host}: {error}") from None
        return probe.getsockname()[0]


def run(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        raise Impossible(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    return done.stdout


def route_device(output):
    """Returns the device in the output of `ip route get`."""
    words = output.split()
    return words[words.index("dev") + 1]


class Namespace:
    """Network namespace for relays behind a veth pair. It goes away with the process that holds it, and the pair with it."""

    def __init__(self, linked=True):
        if os.geteuid() != 0:
            raise Impossible("dropping packets at the device needs root (also for the filter, which no user namespace allows)")
        self.holder = started(["unshare", "--net", "sleep", "infinity"])
        try:
            own = os.readlink("/proc/self/ns/net")
            for _ in range(500):
                if os.readlink(f"/proc/{self.holder.pid}/ns/net") != own:
                    break
                if self.holder.poll() is not None:
                    raise Impossible("unshare cannot make a network namespace")
                time.sleep(0.01)
            run(*self.prefix, "ip", "link", "set", "lo", "up")
            self.address = "127.0.0.1"
            if linked:
                self._link()
        except BaseException:
            self.stop()
            raise

    def _link(self):
        number = os.getpid()
        device, net = f"mrb{number}", f"10.213.{number >> 6 & 255}."
        host = (number & 63) << 2
        self.address = f"{net}{host + 2}"
        run("ip", "link", "add", device, "type", "veth", "peer", "name", "relay", "netns", self.holder.pid)
        run("ip", "address", "add", f"{net}{host + 1}/30", "dev", device)
        run("ip", "link", "set", device, "up")
        run(*self.prefix, "ip", "address", "add", f"{self.address}/30", "dev", "relay")
        run(*self.prefix, "ip", "link", "set", "relay", "up")

    @property
    def prefix(self):
        """Returns the command that runs another one in the namespace."""
        return ["nsenter", f"--net=/proc/{self.holder.pid}/ns/net"]

    def stop(self):
        # The namespace and its half of the pair end with their last process.
        stopped(self.holder)


def egress_drop():
    """Returns the filter program, built from its source."""
    program = ROOT / "out" / "egress_drop"
    program.parent.mkdir(exist_ok=True)
    source = ROOT / "Benchmarks/floor/egress_drop.c"
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        run("cc", "-O2", "-Wall", "-Wextra", "-o", program, source)
    return program


def shares_network(pid):
    """Returns whether a process is in the network namespace of this one."""
    try:
        return os.readlink(f"/proc/{pid}/ns/net") == os.readlink("/proc/self/ns/net")
    except OSError as error:
        raise Failed(f"process {pid}: {error}") from None


class EgressFilter:
    """Filter at the device by which a process reaches a client; counts the RTP that it drops."""

    def __init__(self, pid, client, first, last, everything=False):
        enter = ["nsenter", f"--net=/proc/{pid}/ns/net"]
        device = route_device(run(*enter, "ip", "-o", "route", "get", client))
        self.worker = Worker("egress-drop", [*enter, egress_drop(), device, first, last, "all" if everything else "rtp"])
        try:
            if self.worker.line() != "ready":
                self.worker.fail()
        except Failed as failure:
            raise Impossible(str(failure)) from None

    def counts(self):
        return self.worker.ask()

    def stop(self):
        self.worker.stop()
