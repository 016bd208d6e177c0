"""A TCP proxy to the relay's HTTP port that can be cut."""

import select
import socket
import threading


class Cut:
    """Listens on a free port of loopback and forwards connections to the relay's port."""

    def __init__(self, port, address="127.0.0.1"):
        self._target = (address, port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._is_open, self._lock, self._pairs = True, threading.Lock(), set()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            if not self._is_open:
                near.close()
                continue
            try:
                far = socket.create_connection(self._target, timeout=5)
            except OSError:
                near.close()
                continue
            with self._lock:
                self._pairs.add((near, far))
            threading.Thread(target=self._forward, args=(near, far), daemon=True).start()

    def _forward(self, near, far):
        try:
            while True:
                ready, _, _ = select.select([near, far], [], [])
                for source in ready:
                    data = source.recv(65536)
                    if not data:
                        return
                    (far if source is near else near).sendall(data)
        except (OSError, ValueError):
            pass
        finally:
            self._end(near, far)

    def _end(self, near, far):
        with self._lock:
            self._pairs.discard((near, far))
        for end in (near, far):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()

    def close(self):
        """Ends every connection and accepts no new ones."""
        self._is_open = False
        for pair in list(self._pairs):
            for end in pair:
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def lead_to(self, relay):
        """Forwards new connections to this relay."""
        self._target = (relay.address, relay.port)

    def open(self):
        self._is_open = True

    def stop(self):
        self.close()
        self._listener.close()
