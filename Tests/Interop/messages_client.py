"""Users of conversations over WebSockets: they send at a rate, and keep the answers."""

import asyncio
import base64
import hashlib
import hmac
import json
import time

import websockets

SECRET = "a-secret-of-the-tests-with-more-than-32-characters"
APP = "app"


def token(user, session="any", **claims):
    """Returns a session token (docs/tokens.md) that names a user, with more claims."""
    def part(value):
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=")
    now = int(time.time())
    head = part({"alg": "HS256", "typ": "JWT"})
    body = part({"app_key": APP, "tpc": session, "user_identity": user, "exp": now + 86_400, "iat": now, "version": 1, **claims})
    signature = hmac.new(SECRET.encode(), head + b"." + body, hashlib.sha256).digest()
    return (head + b"." + body + b"." + base64.urlsafe_b64encode(signature).rstrip(b"=")).decode()


class Refused(Exception):
    """The relay answered with an error."""

    def __init__(self, error):
        super().__init__(f"{error.get('code')}: {error.get('message')}")
        self.code = error.get("code")


class Client:
    """One user's WebSocket. Requests are sent without waiting for answers, which arrive in order."""

    def __init__(self, port, user):
        self.url, self.user = f"ws://127.0.0.1:{port}/v1/connect", user
        self.events = 0
        self._id, self._waiting = 0, {}

    async def __aenter__(self):
        self._socket = await websockets.connect(
            self.url, subprotocols=["millrace.v1"], max_size=16 << 20, compression=None, ping_interval=None)
        self.reader = asyncio.create_task(self._read())
        await self.ask("login", version=1, token=token(self.user))
        return self

    async def __aexit__(self, *_):
        self.reader.cancel()
        try:
            await asyncio.wait_for(self._socket.close(), 2)
        except (OSError, asyncio.TimeoutError, websockets.WebSocketException):
            pass

    async def _read(self):
        try:
            async for text in self._socket:
                message = json.loads(text)
                if "id" not in message:
                    self.events += 1
                    self.on_event(message)
                    continue
                waiting = self._waiting.pop(message["id"], None)
                if waiting and not waiting.done():
                    waiting.set_result(message)
        except (OSError, websockets.WebSocketException):
            pass
        finally:
            for waiting in self._waiting.values():
                if not waiting.done():
                    waiting.set_exception(ConnectionError("the relay is gone"))
            self._waiting = {}

    def on_event(self, message):
        """Receives each event."""

    async def end(self):
        """Closes the WebSocket, after which the reader ends."""
        await self._socket.close()

    async def ask(self, method, **parameters):
        """Returns the result; raises `Refused` for an error, `ConnectionError` if the connection ends before the answer."""
        if self.reader.done():
            raise ConnectionError("the relay is gone")
        self._id += 1
        waiting = asyncio.get_running_loop().create_future()
        self._waiting[self._id] = waiting
        try:
            await self._socket.send(json.dumps({"id": self._id, "method": method, "params": parameters}))
        except (OSError, websockets.WebSocketException) as error:
            self._waiting.pop(self._id, None)
            if waiting.done():
                waiting.exception()  # the reader has already reported the same end
            raise ConnectionError(str(error)) from None
        message = await waiting
        if "error" in message:
            raise Refused(message["error"])
        return message["result"]

    async def pages(self, conversation, after=0):
        """Returns all messages of a conversation after a number."""
        messages = []
        while True:
            page = await self.ask("history", conversation=conversation, after=after, count=100)
            messages += page["messages"]
            if not page["hasMore"]:
                return messages
            after = page["messages"][-1]["number"]

    async def conversations(self):
        """Returns the whole list, and the total of unread messages."""
        conversations, before = [], None
        while True:
            asked = {"count": 100} if before is None else {"count": 100, "before": before}
            page = await self.ask("conversations", **asked)
            conversations += page["conversations"]
            if not page["hasMore"]:
                return conversations, page["totalUnread"]
            before = page["conversations"][-1]["order"]
