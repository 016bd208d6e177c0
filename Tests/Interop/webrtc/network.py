"""A separate network for the test: the run lives in a network namespace, and a relay may live in a second one behind a veth pair.

    clients 10.99.0.1, fd99::1  (this process)  ----  relay 10.99.0.2, fd99::2

Neither can reach the outside, all ports are free, and every process ends with the run.
"""

import os
import re
import shutil
import subprocess
import sys

import clients
import media

CLIENT, RELAY = "10.99.0.1", "10.99.0.2"
CLIENT_6, RELAY_6 = "fd99::1", "fd99::2"
SLOW_CLIENT, SLOW_RELAY = "10.98.0.1", "10.98.0.2"
INSIDE = "MILLRACE_INTEROP_NAMESPACE"


def enter():
    """Starts this program again in new namespaces. Returns if it is in one already, or if namespaces are unavailable."""
    if os.environ.get(INSIDE):
        return
    switches = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    if os.getuid() != 0:
        switches.append("--map-root-user")
    if shutil.which("unshare") is None or subprocess.run(["unshare", *switches, "true"], capture_output=True).returncode != 0:
        print("    no network namespace can be made here: cases that need one are skipped", flush=True)
        return
    sys.stdout.flush()
    os.execvpe("unshare", ["unshare", *switches, sys.executable, *sys.argv], {**os.environ, INSIDE: "1"})


def bring_up_loopback():
    """Makes loopback usable in the run's own namespace."""
    if os.environ.get(INSIDE):
        media.run(["ip", "link", "set", "lo", "up"])


class Network:
    def __init__(self):
        self.inside = bool(os.environ.get(INSIDE))
        self._holder = None
        self._is_shared = False
        if not self.inside:
            return
        bring_up_loopback()
        self._holder = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
        own = os.readlink("/proc/self/ns/net")
        clients.wait_until(lambda: os.readlink(f"/proc/{self._holder.pid}/ns/net") != own, 5, "the relay's namespace")
        media.run(["ip", "link", "add", "mr0", "type", "veth", "peer", "name", "mr1", "netns", self._holder.pid])
        for inside, device, addresses in ((False, "mr0", (f"{CLIENT}/24", f"{CLIENT_6}/64")),
                                          (True, "mr1", (f"{RELAY}/24", f"{RELAY_6}/64"))):
            prefix = self.prefix if inside else []
            for address in addresses:
                media.run([*prefix, "ip", "address", "add", address, "dev", device,
                           *(["nodad"] if ":" in address else [])])
            # Datagrams that were sent together arrive, and are lost, one by one.
            media.run([*prefix, "ip", "link", "set", device, "up", "gso_max_segs", "1"])
            if inside:
                media.run([*prefix, "ip", "link", "set", "lo", "up"])

        clients.wait_until(lambda: "state UP" in media.run([*self.prefix, "ip", "-o", "link", "show", "mr1"]), 5, "the veth pair")
        # The route leads nowhere, but without one Firefox considers itself offline and gathers no candidates.
        media.run(["ip", "route", "add", "default", "via", RELAY])

    @property
    def prefix(self):
        """Returns the command that runs another one next to the relay."""
        return ["nsenter", f"--net=/proc/{self._holder.pid}/ns/net"]

    @property
    def filters(self):
        """Returns whether packets can be dropped."""
        return self.inside and shutil.which("nft") is not None

    def _nft(self, text, beside_relay):
        done = subprocess.run([*(self.prefix if beside_relay else []), "nft", "-f", "-"], input=text, text=True,
                              capture_output=True)
        if done.returncode != 0:
            raise media.MediaError(f"nft: {done.stderr.strip()}")

    def _table(self, rules, beside_relay):
        lines = ["table inet loss", "delete table inet loss", "table inet loss {", "chain incoming {",
                 "type filter hook input priority 0;", *rules, "}", "}"]
        self._nft("\n".join(lines) + "\n", beside_relay)

    def lose(self, up=0, down=0, client_ports=(), relay_port=None):
        """Drops this share (percent) of the UDP datagrams to (`up`) and from (`down`) the relay, each at random.

        `client_ports`: only those of these clients; by default those of all. `relay_port`: the relay shares the namespace of its clients, and
        only RTP is dropped, to this port (`up`), which publishers send, and from it (`down`), which subscribers receive.
        """
        self._is_shared = relay_port is not None
        if relay_port:
            # Datagrams that were sent together are lost one by one.
            media.run(["ip", "link", "set", "lo", "gso_max_segs", "1"])
            ports = ((up, "dport", "up"), (down, "sport", "down"))
            self._table([rule for percent, port, direction in ports
                         for rule in self._losing(f"udp {port} {relay_port} @th,64,2 2 @th,72,8 != 192-223", percent, direction)], False)
            return
        for percent, beside_relay, port, direction in ((up, True, "sport", "up"), (down, False, "dport", "down")):
            match = f"udp {port} {{ {', '.join(map(str, client_ports))} }}" if client_ports else "meta l4proto udp"
            self._table(self._losing(match, percent, direction), beside_relay)

    @staticmethod
    def _losing(match, percent, direction):
        """Returns the rules that drop this share of the datagrams that match, with comments by which `lost` finds their counters."""
        chosen = match if percent >= 100 else f"{match} numgen random mod 1000 < {round(percent * 10)}"
        return [f'{match} counter comment "{direction} came"', *([f'{chosen} counter drop comment "{direction} lost"'] if percent else [])]

    def lost(self):
        """Returns {direction: (datagrams that passed the filter rule, datagrams that were dropped)}."""
        counts = {"up": {}, "down": {}}
        for prefix in ([],) if self._is_shared else ([], self.prefix):
            text = media.run([*prefix, "nft", "list", "table", "inet", "loss"])
            for packets, direction, what in re.findall(r'counter packets (\d+) .*comment "(up|down) (came|lost)"', text):
                counts[direction][what] = int(packets)
        return {direction: (found.get("came", 0), found.get("lost", 0)) for direction, found in counts.items()}

    def block_udp(self):
        """Drops all datagrams in both directions."""
        for beside_relay in (True, False):
            self._table(["meta l4proto udp counter drop"], beside_relay)

    def block_media(self, port):
        """Drops packets of the clients to this UDP and TCP port of the relay; other programs of its host reach the port."""
        self._table([f'iifname "mr1" meta l4proto {{ tcp, udp }} th dport {port} counter drop'], True)

    def clear(self):
        if self.inside:
            subprocess.run(["ip", "link", "delete", "mr2"], capture_output=True)
            self.limit_up(None)
        if self.filters:
            for beside_relay in (True, False):
                self._nft("table inet loss\ndelete table inet loss\n", beside_relay)

    def slow_interface(self, kilobits):
        """Adds an interface to the relay's host, which leads to `SLOW_CLIENT` and sends `kilobits` kb/s. Its queue drops nothing: unsent
        data stays in the send buffers of sockets. Returns False if this kernel has no token bucket."""
        if shutil.which("tc") is None:
            return False
        media.run(["ip", "link", "add", "mr2", "type", "veth", "peer", "name", "mr3", "netns", self._holder.pid])
        media.run(["ip", "address", "add", f"{SLOW_CLIENT}/24", "dev", "mr2"])
        media.run([*self.prefix, "ip", "address", "add", f"{SLOW_RELAY}/24", "dev", "mr3"])
        for prefix, device in (([], "mr2"), (self.prefix, "mr3")):
            media.run([*prefix, "ip", "link", "set", device, "up", "gso_max_segs", "1"])
        done = subprocess.run([*self.prefix, "tc", "qdisc", "add", "dev", "mr3", "root", "tbf", "rate", f"{kilobits}kbit", "burst",
                               "3000", "limit", "100000000"], capture_output=True)
        return done.returncode == 0

    def limit_up(self, kilobits):
        """Limits what the clients' host sends to the relay's to `kilobits` kb/s, with a queue of 30 kB; None: no limit. Returns False if this
        kernel has no token bucket."""
        if shutil.which("tc") is None:
            return False
        if kilobits is None:
            return subprocess.run(["tc", "qdisc", "del", "dev", "mr0", "root"], capture_output=True).returncode == 0
        done = subprocess.run(["tc", "qdisc", "replace", "dev", "mr0", "root", "tbf", "rate", f"{kilobits}kbit", "burst", "3000", "limit",
                               "30000"], capture_output=True)
        return done.returncode == 0

    def stop(self):
        if self._holder:
            self._holder.kill()
            self._holder.wait()
