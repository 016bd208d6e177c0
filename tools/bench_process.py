"""Processes of the benchmarks of whole relays: they end with the program, and their CPU time is counted."""

import ctypes
import json
import os
import pathlib
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TICK = 1_000_000_000 // os.sysconf("SC_CLK_TCK")


class Impossible(Exception):
    """This machine, or this user, cannot do what was asked for."""


class Failed(Exception):
    """A measurement failed."""


def program(name, go, advice=""):
    """Runs a benchmark to its end.
    - advice: what to do if this machine cannot run it.
    Returns the exit code."""
    end_in_order()
    try:
        return go()
    except Impossible as reason:
        print(f"{name}: {reason}{advice}", file=sys.stderr)
        return 2
    except Failed as failure:
        print(f"{name}: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


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


def run(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        raise Impossible(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    return done.stdout


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
