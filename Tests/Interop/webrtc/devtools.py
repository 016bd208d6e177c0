"""Remote control of a browser over its socket: the Chrome DevTools Protocol and WebDriver BiDi, which are both JSON with ids."""

import functools
import http.server
import itertools
import json
import pathlib
import threading

from websockets.sync.client import connect

PAGE = pathlib.Path(__file__).parent / "page"


class BrowserError(Exception):
    """The browser, or a script in it, reports an error."""


class Remote:
    """Commands and their answers. Events are not requested, and dropped."""

    def __init__(self, url):
        self._socket = connect(url, max_size=None, open_timeout=20)
        self._ids = itertools.count(1)
        self._waiting = {}
        self._lock = threading.Lock()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        try:
            for text in self._socket:
                message = json.loads(text)
                waiting = self._waiting.pop(message.get("id"), None)
                if waiting:
                    waiting[1].append(message)
                    waiting[0].set()
        except Exception:  # the socket ends with the browser, with any error
            pass
        for event, _ in list(self._waiting.values()):
            event.set()

    def call(self, method, timeout=40, session=None, **parameters):
        number = next(self._ids)
        event, answer = threading.Event(), []
        self._waiting[number] = (event, answer)
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        with self._lock:
            self._socket.send(json.dumps(message))
        if not event.wait(timeout):
            self._waiting.pop(number, None)
            raise BrowserError(f"{method}: no answer within {timeout} s")
        if not answer:
            raise BrowserError(f"{method}: the browser is gone")
        if "error" in answer[0]:
            raise BrowserError(f"{method}: {answer[0]['error']} {answer[0].get('message', '')}")
        return answer[0]["result"]

    def close(self):
        self._socket.close()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class PageServer:
    """Serves the test page on a free port of loopback, which browsers treat as a secure context."""

    def __init__(self):
        handler = functools.partial(Quiet, directory=str(PAGE))
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.origin = f"http://127.0.0.1:{self._server.server_address[1]}"
        self.url = f"{self.origin}/index.html"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self):
        self._server.shutdown()
        self._server.server_close()


def expression(function, options):
    """Returns a script that calls the page's API and returns its answer as text, so that both protocols transport it unchanged."""
    return (f"(async () => {{ try {{ return JSON.stringify({{value: await api.{function}({json.dumps(options)}) ?? null}}) }} "
            "catch (error) { return JSON.stringify({error: `${error.name}: ${error.message}`}) } })()")


def value(text):
    answer = json.loads(text)
    if "error" in answer:
        raise BrowserError(answer["error"])
    return answer["value"]
