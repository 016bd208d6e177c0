"""Hosts of a cluster, each in a network namespace of its own, on one bridge:

    database 10.97.0.2 ---+
    relay 0  10.97.0.10 --+-- bridge 10.97.0.1 (clients: this process)
    relay 1  10.97.0.11 --+
    relay 2  10.97.0.12 --+

The run lives in a namespace too (`webrtc.network.enter`). Packets are dropped where they arrive, so that one direction can be cut alone.
"""

import os
import secrets
import shutil
import subprocess

import clients
import media
from cluster import Cluster
from webrtc import network

CLIENTS, DATABASE = "10.97.0.1", "10.97.0.2"
BRIDGE = "mrb"


def absent():
    """Returns the reason for which no hosts can be made here; None if they can."""
    if not os.environ.get(network.INSIDE):
        return "needs root and network namespaces"
    return None if shutil.which("nft") else "needs nft"


class Host:
    """One network namespace with one address on the bridge."""

    def __init__(self, number, address):
        self.address, self._senders = address, set()
        self._holder = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
        own = os.readlink("/proc/self/ns/net")
        clients.wait_until(lambda: os.readlink(f"/proc/{self._holder.pid}/ns/net") != own, 5, "a host's namespace")
        self._device, inner = f"mrh{number}", "mr0"
        media.run(["ip", "link", "add", self._device, "type", "veth", "peer", "name", inner, "netns", self._holder.pid])
        media.run(["ip", "link", "set", self._device, "master", BRIDGE, "up"])
        for words in (f"address add {address}/24 dev {inner}", f"link set {inner} up", "link set lo up"):
            media.run([*self.prefix, "ip", *words.split()])

    @property
    def prefix(self):
        """Returns the command that runs another one on this host."""
        return ["nsenter", f"--net=/proc/{self._holder.pid}/ns/net"]

    def ignore(self, other, ignores=True):
        """Drops all packets that arrive from another host, or accepts them again."""
        (self._senders.add if ignores else self._senders.discard)(other.address)
        rules = [f"ip saddr {address} drop" for address in sorted(self._senders)]
        text = "\n".join(["table inet cut", "delete table inet cut", "table inet cut {", "chain incoming {",
                          "type filter hook input priority 0;", *rules, "}", "}", ""])
        done = subprocess.run([*self.prefix, "nft", "-f", "-"], input=text, text=True, capture_output=True)
        if done.returncode != 0:
            raise media.MediaError(f"nft: {done.stderr.strip()}")

    def stop(self):
        # The kernel removes the devices of a namespace some time after its last process has ended; the next case needs the name at once.
        media.run(["ip", "link", "delete", self._device])
        self._holder.kill()
        self._holder.wait()


def cut(first, second, both=True):
    """Drops the packets from `second` to `first`, and with `both` also those from `first` to `second`."""
    first.ignore(second)
    if both:
        second.ignore(first)


def heal(first, second):
    """Ends a cut."""
    first.ignore(second, False)
    second.ignore(first, False)


class SeparatedCluster(Cluster):
    """Relays and database on hosts of their own."""

    def __init__(self, binary, folder, count=3):
        media.run(["ip", "link", "add", BRIDGE, "type", "bridge"])
        media.run(["ip", "address", "add", f"{CLIENTS}/24", "dev", BRIDGE])
        media.run(["ip", "link", "set", BRIDGE, "up"])
        self.store = Host(0, DATABASE)
        self.hosts = [Host(1 + number, f"10.97.0.{10 + number}") for number in range(count)]
        self._admin_token = secrets.token_hex(16)
        super().__init__(binary, folder, count)

    def arguments(self, number):
        if number is None:
            return {"address": self.store.address, "prefix": self.store.prefix}
        host = self.hosts[number]
        # A request that one relay sends to another has the operator's token with it.
        return {"address": host.address, "prefix": host.prefix, "admin_token": self._admin_token}

    def stop(self):
        super().stop()
        for host in [self.store, *self.hosts]:
            host.stop()
        media.run(["ip", "link", "delete", BRIDGE])
