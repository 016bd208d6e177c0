"""ICE sessions of an aiortc peer, which can be restarted and lose their sockets: aiortc itself has neither."""

import asyncio

import aioice


class Sessions:
    """Has the datagrams of all ICE sessions of a peer. DTLS and SRTP do not notice that another session takes over."""

    def __init__(self, pc):
        """Call it before the peer has local candidates."""
        [transport] = {transceiver.receiver.transport.transport for transceiver in pc.getTransceivers() if not transceiver._bundled}
        self._received, self._tasks = asyncio.Queue(), set()
        self.current = transport._connection
        transport._recv, transport._send = self._received.get, self._send
        self._start(self._read(self.current))

    def _start(self, work):
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _send(self, data):
        await self.current.send(data)

    async def _read(self, session):
        try:
            while not session._nominated:
                await asyncio.sleep(0.01)
            while True:
                self._received.put_nowait(await session.recv())
        except ConnectionError:  # the session has ended
            pass

    async def cut(self):
        """Closes the sockets: checks and media of the client are no longer answered."""
        await self.current.close()

    async def restart(self, user, password, candidates):
        """Begins a session with these credentials and candidates of the client. Returns its own credentials and candidates as lines of SDP."""
        session = aioice.Connection(ice_controlling=False)
        await session.gather_candidates()
        session.remote_username, session.remote_password = user, password
        for candidate in [*map(aioice.Candidate.from_sdp, candidates), None]:
            await session.add_remote_candidate(candidate)
        self._start(self._adopt(session))
        return [f"a=ice-ufrag:{session.local_username}", f"a=ice-pwd:{session.local_password}",
                *(f"a=candidate:{candidate.to_sdp()}" for candidate in session.local_candidates)]

    async def _adopt(self, session):
        try:
            await session.connect()
        except ConnectionError:  # the client uses an earlier or a later session
            return
        earlier, self.current = self.current, session
        self._start(self._read(session))
        await earlier.close()

    async def close(self):
        for task in list(self._tasks):
            task.cancel()
        await self.current.close()
