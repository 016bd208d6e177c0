"""Network of the benchmarks of whole relays: a namespace behind a veth pair, and the filter that drops media where the kernel's stack hands it to
the device (Benchmarks/floor/egress_drop.c)."""

import os
import socket
import time

from bench_process import Failed, Impossible, ROOT, Worker, run, started, stopped


def own_address(host, port=9):
    """Returns the local address from which datagrams to a host leave."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((host, port))
        except OSError as error:
            raise Failed(f"{host}: {error}") from None
        return probe.getsockname()[0]


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
