"""A proxy between a publisher and the relay that forwards all packets and adds those of an attacker."""

import os
import random
import select
import socket
import threading

# Each SRTP packet of a publisher is larger; shorter packets cannot contain a header and a tag.
HEADER, TAG = 12, 10
# Indices in the list of attacks: tampered, wrong_key.
FORGERIES = (2, 3)


class HostileProxy:
    """Listens on `port` and `port + 1`, forwards to the relay, and adds hostile datagrams at a fixed ratio.

    `sent` counts the added datagrams, by kind. Kinds are derived from genuine packets where possible, so that they get as far
    into the relay as packets of an attacker on the path.
    """

    def __init__(self, port, relay_port, seed=1):
        self.sent = {}
        self.forwarded = 0
        self._random = random.Random(seed)
        self._relay_port = relay_port
        self._in = [self._socket(port), self._socket(port + 1)]
        self._out = [self._socket(0), self._socket(0)]
        # The attacker uses a separate address.
        self._attacker = self._socket(0)
        self._wake_read, self._wake_write = os.pipe()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @staticmethod
    def _socket(port):
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        s.bind(("127.0.0.1", port))
        return s

    def stop(self):
        os.write(self._wake_write, b"x")
        self._thread.join()
        for s in (*self._in, *self._out, self._attacker):
            s.close()
        os.close(self._wake_read)
        os.close(self._wake_write)

    def _run(self):
        count = 0
        while True:
            ready, _, _ = select.select([*self._in, self._wake_read], [], [])
            if self._wake_read in ready:
                return
            for index, s in enumerate(self._in):
                if s not in ready:
                    continue
                packet = s.recv(65536)
                count += 1
                media = index == 0 and len(packet) > 2 * (HEADER + TAG) and not 192 <= packet[1] <= 223
                # Forgeries of a packet are sent first: the genuine packet must still be accepted after them.
                if media:
                    self._attack(packet, count, before=True)
                self._out[index].sendto(packet, ("127.0.0.1", self._relay_port + index))
                self.forwarded += 1
                if media:
                    self._attack(packet, count, before=False)

    def _attack(self, packet, count, before):
        r = self._random
        if (count % 8 in FORGERIES) != before:
            return
        kinds = [
            # A copy of a genuine packet, from the publisher's own address and from another.
            ("replay", packet, self._out[0]),
            ("replay_elsewhere", packet, self._attacker),
            # Flipped bit in the payload, so the tag is wrong.
            ("tampered", self._flip(packet, HEADER, len(packet) - TAG), self._attacker),
            # A tag as of another key.
            ("wrong_key", packet[:-TAG] + r.randbytes(TAG), self._out[0]),
            # A future sequence number with a wrong tag must not move the window.
            ("future", packet[:2] + r.randbytes(2) + packet[4:], self._attacker),
            ("wrong_ssrc", packet[:8] + r.randbytes(4) + packet[12:], self._attacker),
            ("truncated", packet[:r.randrange(1, len(packet) - 1)], self._attacker),
            ("garbage", r.randbytes(r.randrange(1, 1400)), self._attacker),
        ]
        name, data, sender = kinds[count % len(kinds)]
        self._send(name, data, sender)
        if count % 50 == 0:
            # Larger than any packet of a call; looks like RTP of the publisher's SSRC at first sight.
            self._send("oversized", packet[:HEADER] + r.randbytes(60_000), self._attacker)
        if count % 50 == 25:
            self._send("empty", b"", self._attacker)

    def _flip(self, packet, start, end):
        at = self._random.randrange(start, max(start + 1, end))
        return packet[:at] + bytes([packet[at] ^ (1 << self._random.randrange(8))]) + packet[at + 1:]

    def _send(self, name, data, sender):
        sender.sendto(data, ("127.0.0.1", self._relay_port))
        self.sent[name] = self.sent.get(name, 0) + 1
