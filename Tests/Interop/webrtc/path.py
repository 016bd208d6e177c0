"""A UDP path between clients and the relay that is worse than loopback: rate, delay, another source port, a record of all datagrams."""

import heapq
import itertools
import select
import socket
import threading
import time


class Path:
    """Forwards datagrams between clients and the relay on this machine, with a socket towards the relay for each client.

    `up` and `down` are the directions. Rates are in bits a second; a queue longer than `queue` seconds drops further datagrams.
    """

    def __init__(self, relay, queue=0.3):
        self._relay, self._queue = (relay.address, relay.webrtc_port), queue
        self._front = self._socket(relay.address)
        self.address, self.port = self._front.getsockname()[:2]
        self.rate = {"up": None, "down": None}
        self.lost = {"up": 0, "down": 0}
        self.count = {"up": 0, "down": 0}
        self.record = None
        # Whether all datagrams are dropped.
        self.is_blocked = False
        self._free = {"up": 0.0, "down": 0.0}
        self._clients, self._behind = {}, {}
        self._due, self._order = [], itertools.count()
        self._lock = threading.Lock()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _socket(self, address):
        s = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        s.bind((address, 0))
        return s

    def rewrite(self):
        """Returns the value of a client's `rewrite` option."""
        return {"to": f"{self.address} {self.port}"}

    def listen(self):
        """Keeps all datagrams from now on: (seconds, direction, bytes)."""
        self.record = []

    def move(self):
        """Makes the relay see every client at another port from now on. Old sockets stay open, because a NAT would not report the change."""
        with self._lock:
            for client in list(self._clients):
                self._attach(client)

    def _attach(self, client):
        behind = self._socket(self._relay[0])
        self._clients[client] = behind
        self._behind[behind] = client
        return behind

    def stop(self):
        self._stopping = True
        self._thread.join()
        for s in (self._front, *self._behind):
            s.close()

    def _run(self):
        while not self._stopping:
            with self._lock:
                sockets = [self._front, *self._behind]
            wait = min(0.05, max(0, self._due[0][0] - time.monotonic())) if self._due else 0.05
            ready, _, _ = select.select(sockets, [], [], wait)
            for s in ready:
                try:
                    data, sender = s.recvfrom(65536)
                except OSError:  # an ICMP error of a client that has ended
                    continue
                with self._lock:
                    if s is self._front:
                        behind = self._clients.get(sender) or self._attach(sender)
                        self._take("up", data, behind, self._relay)
                    elif self._clients.get(self._behind[s]) is s:
                        self._take("down", data, self._front, self._behind[s])
            now = time.monotonic()
            while self._due and self._due[0][0] <= now:
                _, _, data, out, to = heapq.heappop(self._due)
                self._send(data, out, to)

    def _take(self, direction, data, out, to):
        now = time.monotonic()
        self.count[direction] += 1
        if self.record is not None:
            self.record.append((now, direction, data))
        if self.is_blocked:
            self.lost[direction] += 1
            return None
        rate = self.rate[direction]
        if not rate:
            return self._send(data, out, to)
        start = max(now, self._free[direction])
        if start - now > self._queue:
            self.lost[direction] += 1
            return None
        # The headers of IP and UDP count, too.
        self._free[direction] = start + (len(data) + 28) * 8 / rate
        heapq.heappush(self._due, (self._free[direction], next(self._order), data, out, to))
        return None

    @staticmethod
    def _send(data, out, to):
        try:
            out.sendto(data, to)
        except OSError:  # as above
            pass
