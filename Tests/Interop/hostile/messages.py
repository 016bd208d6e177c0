"""Hostile messages: the control protocol over WebSockets, bodies of all HTTP endpoints, and broken HTTP."""

import base64
import collections
import json
import pathlib
import random
import socket
import threading
import time
import urllib.parse
import urllib.request

from . import mutation
from .websocket import BINARY, TEXT, Closed, WebSocket, frame

ROOT = pathlib.Path(__file__).resolve().parents[3]
SDP = {path.stem: path.read_bytes().decode() for path in sorted((ROOT / "Tests/Vectors/sdp").glob("*.sdp"))}
PUBLISH = [text for name, text in SDP.items() if "publish" in name or "simulcast" in name]
VIEW = [text for name, text in SDP.items() if "view" in name or "subscribe" in name]
SESSIONS = ["hostile-0", "hostile-1", "hostile-2", "Team"]
# App and secret of a relay that runs with --dev.
DEVELOPMENT = b"dev:millrace-development-secret-that-everybody-knows"
# Parts of paths that are the same in every request.
WORDS = {"", "whip", "whep", "v1", "sessions", "streams", "plain", "mute", "record", "canvas.png", "canvas.y4m", "live.webm", "admin", "mute-all",
         "share-lock", "signals", "participants", "tokens", "users", "export", "layer", "metrics", "openapi.json", "page", "issues"}
PREFERENCES = {"audio": True, "video": True, "width": 640, "height": 360, "frameRate": 15, "priority": 50}


class Counts:
    """Messages that all threads sent, and that were answered."""

    def __init__(self, wanted):
        self.wanted, self.sent, self.lock = wanted, 0, threading.Lock()
        self.by_kind = collections.Counter()
        self.answers = collections.Counter()
        self.connections = 0
        self.closed = collections.Counter()
        # Requests without an answer: on connections that closed, and on connections that remained open.
        self.cut_off, self.unanswered = 0, 0
        self.failure = None

    def take(self, kind):
        """Returns whether one more message of this kind should be sent."""
        with self.lock:
            if self.sent >= self.wanted or self.failure:
                return False
            self.sent += 1
            self.by_kind[kind] += 1
            return True

    def answer(self, kind, result):
        with self.lock:
            self.answers[f"{kind}: {result}"] += 1

    def answered(self):
        """Returns the answers by kind of message."""
        found = collections.Counter()
        for name, count in self.answers.items():
            found[name.split(": ")[0]] += count
        return found


class ControlClient(threading.Thread):
    """Opens WebSockets one after the other, and sends mutated requests of every kind on each."""

    def __init__(self, relay, counts, seed):
        super().__init__(daemon=True)
        self.relay, self.counts, self.dice = relay, counts, random.Random(seed)
        self.known = {"stream": ["x"], "user": ["x"], "subsession": ["x"], "request": ["x"], "group": ["x"], "resume": ["x"]}
        self.revision = 1
        self.offer = ""
        # Methods of the requests without an answer, by id.
        self.open = {}

    def run(self):
        errors = 0
        while self.counts.sent < self.counts.wanted and not self.counts.failure:
            try:
                self.one_connection()
                errors = 0
            except (Closed, OSError) as error:
                errors += 1
                self.counts.closed[str(error)[:60]] += 1
                with self.counts.lock:
                    self.counts.cut_off += len(self.open)
                self.open = {}
                # A relay that accepts no connection at all has ended.
                if errors > 200:
                    self.counts.failure = f"no connection any more: {error}"
                time.sleep(min(0.02 * errors, 1))
            except Exception as error:  # an error of the client itself: the run must not continue without it
                self.counts.failure = f"{type(error).__name__}: {error}"

    def one_connection(self):
        session = self.dice.choice(SESSIONS)
        name = f"user-{self.dice.randrange(60)}"
        role = self.dice.choice(["host", "participant", "subscriber", "moderator"])
        query = urllib.parse.urlencode({"session": session, "name": name, "role": role})
        with urllib.request.urlopen(f"{self.relay.url}/v1/dev/token?{query}", timeout=20) as answer:
            text = answer.read().decode()
        token = json.loads(text)["token"] if text.lstrip().startswith("{") else text.strip()
        web = WebSocket(self.relay.port)
        self.counts.connections += 1
        try:
            self.talk(web, session, token, name)
        finally:
            web.close()

    def talk(self, web, session, token, name):
        self.number, self.open = 0, {}
        join = {"version": 1, "session": session, "token": token, "name": name}
        if self.dice.random() < 0.9:
            self.request(web, "join", join)
        if self.dice.random() < 0.4:
            self.request(web, "login", {"version": 1, "token": token})
        for _ in range(self.dice.randrange(40, 400)):
            kind = self.dice.randrange(150)
            if kind == 0:
                # The relay closes the connection after answering earlier requests.
                self.read(web, 1)
                more = self.broken_frame(web)
            elif kind < 6:
                more = self.broken_text(web)
            else:
                method, parameters = self.valid(session, token)
                more = self.request(web, method, parameters, mutates=self.dice.random() < 0.7)
            if not more:
                # The answers of what was sent are still read.
                break
            if len(self.open) > 24 or not web.is_open:
                self.read(web, 2)
            else:
                self.read(web, 0)
        while self.open and web.is_open:
            before = len(self.open)
            self.read(web, 1)
            if len(self.open) == before:
                break
        with self.counts.lock:
            self.counts.unanswered += len(self.open)
        self.open = {}

    def request(self, web, method, parameters, mutates=False):
        if not self.counts.take(f"control {method}"):
            return False
        self.number += 1
        number = self.number
        message = {"id": number, "method": method, "params": parameters}
        if mutates:
            message = mutation.mutated(message, self.dice, start=("params",) if self.dice.random() < 0.9 else ())
            if self.dice.random() < 0.03:
                message["id"] = self.dice.choice([0, number - 1, 1, 2 ** 32, "1", None, 1.5])
        text = json.dumps(message, ensure_ascii=self.dice.random() < 0.5).encode("utf-8", "surrogatepass")
        self.open[number] = method
        if self.dice.random() < 0.1 and len(text) > 4:
            # Sent in fragments, as RFC 6455 section 5.4 allows.
            pieces = self.dice.choice([2, 3, 10, 64])
            size = len(text) // pieces + 1
            parts = [text[i:i + size] for i in range(0, len(text), size)]
            for index, part in enumerate(parts):
                web.send(frame(TEXT if index == 0 else 0, part, final=index == len(parts) - 1))
        else:
            web.send(frame(TEXT, text))
        return True

    def broken_text(self, web):
        if not self.counts.take("control broken text"):
            return False
        text = json.dumps({"id": self.number + 1, "method": "ping", "params": {"a": mutation.odd(self.dice)}}).encode()
        choice = self.dice.randrange(7)
        if choice == 0:
            text = b"[" * self.dice.choice([10, 1_000, 60_000])
        elif choice == 1:
            text = b'{"a":' * self.dice.choice([10, 1_000, 12_000])
        elif choice == 2:
            text = self.dice.randbytes(self.dice.randrange(400))
        elif choice == 3:
            text = b'{"id":1,"id":2,"method":"ping","method":"leave","params":{}}'
        elif choice == 4:
            text = b'{"id":1e400,"method":"ping"}' if self.dice.random() < 0.5 else b'{"id":' + b"1" * 5_000 + b',"method":"ping"}'
        elif choice == 5:
            text = b'{"id":7,"method":"\\ud800","params":{"\\ud800":"\\udc00\\ud800"}}'
        else:
            text = mutation.octets(text, self.dice)
        web.send(frame(TEXT, text))
        return True

    def broken_frame(self, web):
        if not self.counts.take("control broken frame"):
            return False
        choice = self.dice.randrange(10)
        data = self.dice.randbytes(self.dice.randrange(200))
        item = {
            0: lambda: frame(BINARY, data), 1: lambda: frame(TEXT, b"{}", mask=False),
            2: lambda: frame(TEXT, b"{}", reserved=self.dice.randrange(1, 8)), 3: lambda: frame(0, data),
            4: lambda: frame(self.dice.choice([3, 7, 11, 15]), data), 5: lambda: frame(9, data * 2),
            6: lambda: frame(TEXT, data, length=self.dice.choice([1 << 17, 1 << 40, (1 << 64) - 1])),
            7: lambda: b"".join(frame(TEXT if n == 0 else 0, b"x", final=False) for n in range(70)),
            8: lambda: frame(8, self.dice.choice([b"", b"\x00", b"\x03\xe8\xff", b"\x00\x00x", b"\xff\xff" + b"y" * 120])),
            9: lambda: frame(TEXT, b"\xc3\x28\xff"),
        }[choice]()
        web.send(item)
        return True

    def read(self, web, timeout):
        for text in web.messages(timeout):
            message = json.loads(text)
            if "event" in message:
                self.learn(message)
                continue
            method = self.open.pop(message.get("id"), None)
            kind = f"control {method}" if method else "control broken text"
            if "error" in message:
                self.counts.answer(kind, message["error"].get("code"))
            else:
                self.counts.answer(kind, "result")
                self.keep(message.get("result") or {})

    def keep(self, result):
        for stream in result.get("streams", []):
            if isinstance(stream, dict):
                self.remember("stream", stream.get("id"))
            else:
                self.remember("stream", stream)
        for user in result.get("users", []):
            self.remember("user", user.get("id"))
        for item in result.get("subsessions", []) if isinstance(result.get("subsessions"), list) else []:
            self.remember("subsession", item.get("id"))
        self.remember("resume", result.get("resumeToken"))
        self.remember("request", result.get("request"))
        if isinstance(result.get("members"), list):
            self.remember("group", result.get("id"))

    def learn(self, event):
        data = event.get("data", {})
        if event["event"] == "offer":
            self.revision, self.offer = data.get("revision", 1), data.get("sdp", "")
        elif event["event"] == "streamCreated":
            self.remember("stream", data.get("stream", {}).get("id"))
        elif event["event"] == "userJoined":
            self.remember("user", data.get("user", {}).get("id"))
        elif event["event"] == "usersChanged":
            for user in data.get("joined", []):
                self.remember("user", user.get("id"))
        elif event["event"] == "helpRequested":
            self.remember("request", data.get("request"))

    def remember(self, kind, value):
        if isinstance(value, (str, int)) and value not in self.known[kind]:
            self.known[kind] = (self.known[kind] + [value])[-12:]

    def pick(self, kind):
        return self.dice.choice(self.known[kind])

    def valid(self, session, token):
        """Returns a method with parameters that the relay could accept."""
        d = self.dice
        conversation = {"type": d.choice([0, 2]), "id": d.choice([f"user-{d.randrange(60)}", self.pick("group")])}
        sdp = mutation.lines(d.choice(PUBLISH), d) if d.random() < 0.6 else d.choice(PUBLISH)
        answer = mutation.lines(self.offer.replace("a=sendonly", "a=recvonly").replace("actpass", "active") or d.choice(VIEW), d)
        methods = {
            "join": lambda: {"version": 1, "session": session, "token": token, "name": "again", "password": "secret"},
            "resume": lambda: {"version": 1, "resumeToken": self.pick("resume"), "lastEvent": d.randrange(100),
                               "snapshots": d.choice([True, False])},
            "publish": lambda: {"sdp": sdp, "streams": [
                {"name": "camera", "videoType": "camera", "audioMid": "0", "videoMid": "1", "width": 640, "height": 360}]},
            "unpublish": lambda: {"stream": self.pick("stream")},
            "updateStream": lambda: {"stream": self.pick("stream"), "name": "other", "width": 320, "height": 180},
            "subscribe": lambda: {"stream": self.pick("stream"), "preferences": PREFERENCES, "transport": d.choice(["webRTC", "native"])},
            "updateSubscription": lambda: {"stream": self.pick("stream"), "preferences": PREFERENCES},
            "unsubscribe": lambda: {"stream": self.pick("stream")},
            "answer": lambda: {"revision": self.revision, "sdp": answer},
            "restartICE": lambda: {},
            "signal": lambda: {"type": "chat", "data": "x" * d.choice([1, 100, 8_192]), "to": self.pick("user")},
            "rename": lambda: {"user": self.pick("user"), "name": d.choice(mutation.ODD_TEXTS)},
            "muteUser": lambda: {"user": self.pick("user"), "kind": "audio"},
            "requestUnmute": lambda: {"user": self.pick("user"), "kind": "video"},
            "setMuted": lambda: {"stream": self.pick("stream"), "kind": "video", "isMuted": d.random() < 0.5},
            "forceMuteStream": lambda: {"stream": self.pick("stream")},
            "forceMuteAll": lambda: {"excluding": [self.pick("stream")]},
            "disableForceMute": lambda: {},
            "makeHost": lambda: {"user": self.pick("user")},
            "setManager": lambda: {"user": self.pick("user"), "isManager": True},
            "removeUser": lambda: {"user": self.pick("user") if d.random() < 0.1 else "nobody"},
            "lockShare": lambda: {"isLocked": d.random() < 0.5},
            "subsessions": lambda: {},
            "commitSubsessions": lambda: {"names": ["one", "two"]},
            "withdrawSubsessions": lambda: {},
            "startSubsessions": lambda: {},
            "stopSubsessions": lambda: {},
            "joinSubsession": lambda: {"subsession": self.pick("subsession")},
            "returnToMainSession": lambda: {},
            "broadcast": lambda: {"text": "everybody"},
            "requestHelp": lambda: {},
            "answerHelp": lambda: {"request": self.pick("request"), "isAccepted": d.random() < 0.5},
            "chat": lambda: {"text": "hello", "id": f"m{d.randrange(1 << 20)}"},
            "setChatAllowed": lambda: {"isAllowed": d.random() < 0.8},
            "startLive": lambda: {"to": d.choice(["https://127.0.0.1:1/", "http://[::1]:1/", *mutation.ODD_TEXTS]), "stream": self.pick("stream")},
            "stopLive": lambda: {"id": f"live{d.randrange(5)}"},
            "login": lambda: {"version": 1, "token": token, "name": "Ada"},
            "sendMessage": lambda: {"conversation": conversation, "message": f"m{d.randrange(1 << 30)}", "text": "hello"},
            "conversations": lambda: {"count": d.randrange(1, 101)},
            "history": lambda: {"conversation": conversation, "after": d.randrange(5), "count": 100},
            "conversationChanges": lambda: {"since": d.randrange(50), "count": 100},
            "clearUnread": lambda: {"conversation": conversation},
            "setNotification": lambda: {"conversation": conversation, "status": d.choice([1, 2])},
            "deleteConversation": lambda: {"conversation": conversation},
            "deleteMessages": lambda: {"conversation": conversation},
            "createGroup": lambda: {"name": "group", "members": [f"user-{d.randrange(60)}" for _ in range(3)]},
            "group": lambda: {"group": self.pick("group")},
            "inviteToGroup": lambda: {"group": self.pick("group"), "members": [f"user-{d.randrange(60)}"]},
            "leaveGroup": lambda: {"group": self.pick("group")},
            "dismissGroup": lambda: {"group": self.pick("group")},
            "statistics": lambda: {},
            "reportIssue": lambda: {"note": "x" * d.choice([1, 2_000, 2_001])},
            "ping": lambda: {},
        }
        if d.random() < 0.002:
            return "leave", {"endForAll": d.random() < 0.2}
        method = d.choice(list(methods))
        return method, methods[method]()


class HTTPClient(threading.Thread):
    """Sends mutated bodies to every HTTP endpoint, and broken HTTP."""

    def __init__(self, relay, counts, seed):
        super().__init__(daemon=True)
        self.relay, self.counts, self.dice = relay, counts, random.Random(seed)
        self.socket, self.locations = None, []

    def run(self):
        errors = 0
        while not self.counts.failure:
            if self.counts.by_kind["http"] + self.counts.by_kind["broken http"] > 0.3 * self.counts.sent + 100:
                # HTTP is answered faster than WebSockets, but most messages should use the control protocol.
                time.sleep(0.01)
                if self.counts.sent >= self.counts.wanted:
                    return
                continue
            try:
                if self.dice.random() < 0.3:
                    going = self.broken()
                else:
                    going = self.request()
                if not going:
                    return
                errors = 0
            except (OSError, ValueError) as error:
                self.counts.closed[f"HTTP {error}"[:60]] += 1
                self.disconnect()
                errors += 1
                if errors > 200:
                    self.counts.failure = f"HTTP is not answered any more: {error}"
                time.sleep(min(0.02 * errors, 1))
            except Exception as error:  # an error of the client itself: the run must not continue without it
                self.counts.failure = f"{type(error).__name__}: {error}"

    def disconnect(self):
        if self.socket:
            self.socket.close()
        self.socket = None

    def request(self):
        d = self.dice
        method, path, kind, body = self.endpoint()
        # The endpoint, without the names of sessions and resources.
        name = f"{method} /" + "/".join(part if part in WORDS else "…" for part in path.partition("?")[0].split("/")[1:])[:60]
        if not self.counts.take("http"):
            return False
        headers = {"content-type": kind, "content-length": str(len(body))}
        if method == "PATCH":
            headers["if-match"] = d.choice(["*", '"x"', "", '"' + "a" * 500])
        if d.random() < 0.05:
            headers["content-type"] = d.choice(["", "text/plain", "application/json; charset=\"", "a" * 300])
        if path == "/v1/tokens" and d.random() < 0.8:
            headers["authorization"] = "Basic " + base64.b64encode(DEVELOPMENT).decode()
        elif d.random() < 0.03:
            headers["authorization"] = "Bearer " + d.choice(mutation.ODD_TEXTS).encode("ascii", "replace").decode().replace("\n", "").replace("\r", "")[:400]
        head = f"{method} {path} HTTP/1.1\r\nhost: 127.0.0.1:{self.relay.port}\r\n"
        head += "".join(f"{key}: {value}\r\n" for key, value in headers.items()) + "\r\n"
        status, fields = self.exchange(head.encode("utf-8", "replace") + body)
        self.counts.answer("http", f"{name} {status}")
        if status == 201 and fields.get("location"):
            self.locations = (self.locations + [fields["location"]])[-20:]
        return True

    def exchange(self, data):
        """Sends a request and reads the answer; returns status and headers."""
        if not self.socket:
            self.socket = socket.create_connection(("127.0.0.1", self.relay.port), timeout=20)
        self.socket.sendall(data)
        answer = b""
        while b"\r\n\r\n" not in answer:
            part = self.socket.recv(65_536)
            if not part:
                raise OSError("closed without an answer")
            answer += part
        head, _, rest = answer.partition(b"\r\n\r\n")
        rows = head.decode("latin-1").split("\r\n")
        status = int(rows[0].split(" ")[1])
        fields = {key.lower(): value.strip() for key, _, value in (row.partition(":") for row in rows[1:])}
        length = fields.get("content-length")
        if length is None and status not in (204, 304):
            # A body without end, as canvases have.
            self.disconnect()
            return status, fields
        missing = int(length or 0) - len(rest)
        while missing > 0:
            part = self.socket.recv(min(missing, 1 << 16))
            if not part:
                raise OSError("closed within an answer")
            missing -= len(part)
        if fields.get("connection", "").lower() == "close":
            self.disconnect()
        return status, fields

    def endpoint(self):
        d = self.dice
        session = d.choice(SESSIONS) if d.random() < 0.9 else urllib.parse.quote(d.choice(mutation.ODD_TEXTS)[:300])
        stream = d.choice(["plain", "webrtc", "simulcast", "framed", "x", urllib.parse.quote(d.choice(mutation.ODD_TEXTS)[:200])])
        location = d.choice(self.locations) if self.locations else f"/whip/{session}/{stream}/none"
        location = urllib.parse.urlsplit(location).path

        def sdp(texts):
            text = d.choice(texts)
            text = mutation.lines(text, d) if d.random() < 0.8 else text
            data = text.encode("utf-8", "replace")
            return mutation.octets(data, d) if d.random() < 0.2 else data

        def body(value):
            data = json.dumps(mutation.mutated({"b": value}, d, start=("b",))["b"] if d.random() < 0.8 else value).encode()
            return mutation.octets(data, d) if d.random() < 0.15 else data

        plain = {"direction": d.choice(["publish", "subscribe"]), "stream": f"s{d.randrange(20)}", "suite": "AES_CM_128_HMAC_SHA1_80",
                 "rtcpMux": True, "address": "127.0.0.1", "audio": {"port": 9, "payloadType": 111, "ssrc": d.randrange(1 << 32)},
                 "video": {"port": 9, "payloadType": 96, "ssrc": d.randrange(1 << 32)}}
        base, sdp_type, json_type = f"/v1/admin/sessions/{session}", "application/sdp", "application/json"
        fragment = ("a=ice-ufrag:abcd\r\na=ice-pwd:abcdefghijklmnopqrstuvwx\r\nm=audio 9 RTP/AVP 0\r\na=mid:0\r\n"
                    "a=candidate:1 1 udp 2130706431 192.0.2.1 5000 typ host\r\na=end-of-candidates\r\n")
        choices = [
            lambda: ("POST", f"/whip/{session}?stream=h{d.randrange(30)}", sdp_type, sdp(PUBLISH)),
            lambda: ("POST", f"/whep/{session}/{stream}", sdp_type, sdp(VIEW)),
            lambda: ("PATCH", location, "application/trickle-ice-sdpfrag", mutation.lines(fragment, d).encode("utf-8", "replace")),
            lambda: ("POST", location + "/layer", json_type, body({"mediaId": "1", "encodingId": "lo", "maxWidth": 320, "maxHeight": 180})),
            lambda: ("DELETE", location, sdp_type, b""),
            lambda: ("POST", f"/v1/sessions/{session}/plain", json_type, body(plain)),
            lambda: ("PUT", f"/v1/sessions/{session}/streams/{stream}/mute", json_type, body({"kind": "video", "muted": False})),
            lambda: ("POST", f"/v1/sessions/{session}/streams/{stream}/record", json_type, body({"action": d.choice(["start", "stop"])})),
            lambda: ("GET", f"/v1/sessions/{session}/streams/{stream}/canvas.png?width={d.choice(mutation.ODD_NUMBERS)}", json_type, b""),
            lambda: ("GET", f"/v1/sessions/{session}/streams/{stream}/canvas.y4m?rate={d.choice(mutation.ODD_NUMBERS)}", json_type, b""),
            lambda: ("POST", "/v1/admin/sessions", json_type, body({"name": f"made-{d.randrange(50)}", "password": "secret"})),
            lambda: ("DELETE", f"/v1/admin/sessions/made-{d.randrange(50)}", json_type, b""),
            lambda: ("PUT", base + "/mute-all", json_type, body({"muted": d.random() < 0.3, "excluding": ["x"]})),
            lambda: ("PUT", base + "/share-lock", json_type, body({"locked": True})),
            lambda: ("POST", base + "/signals", json_type, body({"type": "note", "data": "hello", "to": "x"})),
            lambda: ("POST", base + "/participants/x/mute", json_type, body({"kind": "audio"})),
            lambda: ("GET", base + f"/participants?limit={d.choice(mutation.ODD_NUMBERS)}&after=x", json_type, b""),
            lambda: ("POST", "/v1/tokens", json_type, body({"session": session, "identity": "a", "role": "host", "lifetime": 60})),
            lambda: ("GET", f"/v1/users/user-{d.randrange(60)}/export", json_type, b""),
            lambda: ("DELETE", f"/v1/users/user-{d.randrange(60, 90)}", json_type, b""),
            lambda: (d.choice(["GET", "HEAD", "OPTIONS", "TRACE", "PUT"]), d.choice(["/", "/metrics", "/v1/openapi.json", "/page/ui/app.js",
                                                                                     "/page/../../etc/passwd", "/v1/admin/issues?limit=-1"]),
                     json_type, b""),
        ]
        method, path, kind, data = d.choice(choices)()
        if method == "HEAD":
            method = "GET"
        return method, path, kind, data

    def broken(self):
        """Sends a head or body that is not HTTP (RFC 9112), on a separate connection."""
        if not self.counts.take("broken http"):
            return False
        d = self.dice
        host = f"Host: 127.0.0.1:{self.relay.port}\r\n"
        valid = f"POST /whip/hostile-0 HTTP/1.1\r\n{host}Content-Type: application/sdp\r\nContent-Length: 4\r\n\r\nv=0\n".encode()
        item = d.choice([
            lambda: d.randbytes(d.randrange(1, 2_000)),
            lambda: mutation.octets(valid, d),
            lambda: f"GET /healthz HTTP/1.1\r\n{host}{host}\r\n".encode(),
            lambda: b"GET /healthz HTTP/1.1\r\n\r\n",
            lambda: f"GET /{'a' * d.choice([100, 20_000, 70_000])} HTTP/1.1\r\n{host}\r\n".encode(),
            lambda: f"GET /healthz HTTP/1.1\r\n{host}{'X: y' + chr(13) + chr(10)}".encode() * 50,
            lambda: f"GET /healthz HTTP/1.1\r\n{host}X: {'y' * 30_000}\r\n\r\n".encode(),
            lambda: f"POST /v1/tokens HTTP/1.1\r\n{host}Content-Length: {d.choice(['-1', '1e3', '99999999999999999999', '4, 5', ' '])}\r\n\r\nx".encode(),
            lambda: f"POST /v1/tokens HTTP/1.1\r\n{host}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n".encode(),
            lambda: f"POST /v1/tokens HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\n{d.choice(['fffffffffffffffff', '-5', 'zz', '5;' + 'a' * 9000])}\r\nx".encode(),
            lambda: f"GET /v1/connect HTTP/1.1\r\n{host}Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: {d.choice(['13', '99', ''])}\r\n"
                    f"Sec-WebSocket-Key: {d.choice(['', 'x', 'A' * 4000])}\r\n\r\n".encode(),
            lambda: f"GET {d.choice(['*', 'http://[::1', '//', '/%zz', '/%00', '/..%2f..'])} HTTP/1.1\r\n{host}\r\n".encode(),
            lambda: f"{d.choice(['get', 'G' * 300, 'PRI', 'CONNECT'])} / HTTP/{d.choice(['1.1', '0.9', '2.0', '9.9'])}\r\n{host}\r\n".encode(),
            lambda: b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + d.randbytes(60),
            lambda: b"\x16\x03\x01" + d.randbytes(200),
        ])()
        with socket.create_connection(("127.0.0.1", self.relay.port), timeout=20) as connection:
            connection.sendall(item)
            if d.random() < 0.5:
                connection.shutdown(socket.SHUT_WR)
            connection.settimeout(0.3)
            try:
                answer = connection.recv(4_096)
            except TimeoutError:
                answer = b"(waits for more)"
            except OSError:
                answer = b""
        self.counts.answer("broken http", answer.split(b" ")[1].decode("latin-1")[:3] if answer.startswith(b"HTTP/") else
                           "waits" if answer else "closed")
        return True


def run(relay, number, seed, progress, controls=8, https=2):
    """Sends `number` messages. Returns their counts."""
    counts = Counts(number)
    threads = [ControlClient(relay, counts, seed * 1_000 + n) for n in range(controls)]
    threads += [HTTPClient(relay, counts, seed * 1_000 + 100 + n) for n in range(https)]
    for thread in threads:
        thread.start()
    told = time.monotonic()
    while any(thread.is_alive() for thread in threads):
        time.sleep(0.2)
        if not relay.process.running:
            counts.failure = "the relay ended"
            break
        if time.monotonic() - told > 5:
            told = time.monotonic()
            progress(f"{counts.sent} of {number} messages, {sum(counts.answers.values())} answered")
    for thread in threads:
        thread.join(30)
    return counts
