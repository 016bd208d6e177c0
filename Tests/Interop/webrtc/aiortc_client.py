"""aiortc, or libwebrtc under aiortc's interface, in a separate process."""

import itertools
import json
import pathlib
import subprocess
import sys
import threading

from webrtc.devtools import BrowserError


class Aiortc:
    """A client with any number of peers. Its functions are those of a browser's page. `program`: file of the process, with functions of its own."""

    def __init__(self, folder, name="aiortc", kind="aiortc", program="aiortc_worker.py"):
        self.kind = kind
        self._log = open(folder / f"{name}.log", "wb")
        self.process = subprocess.Popen([sys.executable, pathlib.Path(__file__).with_name(program), kind],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log)
        self._ids, self._waiting, self._lock = itertools.count(1), {}, threading.Lock()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            answer = json.loads(line)
            event, answers = self._waiting.pop(answer["id"])
            answers.append(answer)
            event.set()
        for event, _ in list(self._waiting.values()):
            event.set()

    def call(self, function, timeout=40, **options):
        number, event, answers = next(self._ids), threading.Event(), []
        self._waiting[number] = (event, answers)
        with self._lock:
            self.process.stdin.write(json.dumps({"id": number, "function": function, "options": options}).encode() + b"\n")
            self.process.stdin.flush()
        if not event.wait(timeout):
            raise BrowserError(f"aiortc {function}: no answer within {timeout} s")
        if not answers:
            raise BrowserError("the aiortc process is gone")
        if "error" in answers[0]:
            raise BrowserError(answers[0]["error"])
        return answers[0]["value"]

    def stop(self):
        self.process.stdin.close()
        try:
            self.process.wait(3)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._log.close()
