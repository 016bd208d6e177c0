"""The relay under attack: its start, a probe of its service, and the faults in its log."""

import json
import os
import re
import subprocess
import time
import urllib.request

import clients
from relay import Relay

from . import readers

# Lines that a sanitizer or the Swift runtime writes about a fault.
REPORT = re.compile(r"AddressSanitizer|millrace crash report|ThreadSanitizer|UndefinedBehavior|LeakSanitizer|Fatal error|\*\*\* Program crashed|\*\*\* Signal|Illegal instruction|runtime error:")
# Limits that would end a hostile run too early; checks of limits use the defaults.
RAISED = {
    "limit-messages-per-second": 1_000_000, "limit-chat-per-second": 1_000_000, "limit-broadcasts-per-second": 1_000_000,
    "limit-moves-per-second": 1_000_000, "limit-user-messages-per-second": 1_000_000, "limit-user-requests-per-second": 1_000_000,
    "limit-user-entries-per-second": 1_000_000, "limit-issue-seconds": 0, "limit-unjoined": 100_000, "limit-unjoined-per-address": 100_000,
    "limit-wrong-passwords": 1_000_000, "limit-wrong-tokens": 1_000_000, "limit-groups-per-user": 100_000, "limit-logins-per-user": 10_000, "http-connections-per-address": 4_096,
    "connect-grace-seconds": 2, "limit-connect-seconds": 5, "drain-minimum-seconds": 0,
    # All participants of a run share one address and about 60 names.
    "limit-participants-per-user": 100_000, "limit-participants-per-token": 100_000, "limit-participants-per-address": 100_000,
    "limit-transports-per-user": 100_000, "limit-transports-per-token": 100_000, "limit-transports-per-address": 100_000,
    "limit-queued-bytes-per-user": 1 << 30, "limit-queued-bytes-per-token": 1 << 30, "limit-queued-bytes-per-address": 1 << 30,
}


def raised(binary):
    """Returns the options of `RAISED` that this relay has."""
    text = subprocess.run([str(binary), "serve", "--help"], capture_output=True, text=True, check=False,
                          env={**os.environ, **ENVIRONMENT}).stdout
    return [item for name, value in RAISED.items() if f"--{name}" in text for item in (f"--{name}", value)]


ENVIRONMENT = {
    # A report ends the process, and so does a trap. Leaks of singletons are not faults.
    "ASAN_OPTIONS": "detect_leaks=0:halt_on_error=1:handle_sigill=1:handle_abort=1:allocator_may_return_null=1",
}


class Target:
    """A relay with recording, conversations and development tokens."""

    def __init__(self, binary, folder, name="relay", extra=(), limits=True, prefix=(), environment=None):
        self.binary, self.folder = binary, folder
        self.recordings = folder / f"recordings-{name}"
        self.log = folder / f"{name}.log"
        options = [*(raised(binary) if limits else []), "--dev", "--storage-directory", folder / f"store-{name}", *extra]
        self.relay = Relay(binary, folder, record=self.recordings, name=name, extra=options, prefix=prefix,
                           environment={**ENVIRONMENT, **(environment or {})})
        self.peak = 0

    @property
    def url(self):
        return self.relay.url

    @property
    def port(self):
        return self.relay.port

    @property
    def process(self):
        return self.relay.process

    def metrics(self):
        found = self.relay.metrics()
        self.peak = max(self.peak, found.get("process_resident_memory_bytes", 0))
        return found

    def reports(self):
        """Returns the lines of the log that report faults."""
        return [line for line in self.log.read_text(errors="replace").splitlines() if REPORT.search(line)][:10]

    def stop(self):
        """Ends the relay, and returns how it ended."""
        if self.process.running:
            self.relay.stop()
        return self.process.process.returncode

    def probe(self, number, seconds=4):
        """Runs a clean session: its media must arrive, its canvas decode and its recording be complete. Returns the faults."""
        faults = []
        session = f"load-{number}-0"
        command = [self.binary, "load", "--url", self.url, "--transport", "webrtc", "--publishers", "1", "--subscribers", "2",
                   "--video", "320x180@15", "--duration", seconds, "--ramp", "0.2", "--seed", number, "--decode-sample", "1", "--json"]
        log = self.folder / f"probe-{number}.log"
        with log.open("wb") as errors:
            load = subprocess.Popen([str(c) for c in command], stdout=subprocess.PIPE, stderr=errors,
                                    env={**os.environ, **ENVIRONMENT})
            size = None
            end = time.monotonic() + seconds + 15
            while load.poll() is None and time.monotonic() < end and size is None:
                try:
                    with urllib.request.urlopen(f"{self.url}/v1/sessions/{session}/streams", timeout=5) as answer:
                        streams = json.load(answer)["streams"]
                    name = streams[0].get("name") or streams[0]["id"]
                    status, body = readers.fetch(self.port, f"/v1/sessions/{session}/streams/{name}/canvas.png", 8 << 20)
                    if status == 200:
                        size = readers.png_size(body)
                except (OSError, ValueError, KeyError, IndexError):
                    pass
                time.sleep(0.2)
            try:
                output, _ = load.communicate(timeout=60)
            except subprocess.TimeoutExpired:
                load.kill()
                output, _ = load.communicate()
                faults.append("the probe's load did not end")
        if size is None:
            faults.append("no canvas.png")
        try:
            report = json.loads(output)
            if not report["received"]["packets"]:
                faults.append("no packets arrived")
            if report["received"].get("silentTracks"):
                faults.append(f"{report['received']['silentTracks']} silent tracks")
        except (ValueError, KeyError) as error:
            faults.append(f"no report of the load ({error}): {log.read_text(errors='replace')[-300:]}")
        return faults + self.recording_faults(session)

    def recording_faults(self, session):
        """Returns the faults of the recording of a session that has ended."""
        files = []
        end = time.monotonic() + 15
        while time.monotonic() < end:
            files = sorted(path for path in self.recordings.rglob("*.webm") if session in str(path))
            if files:
                result = subprocess.run([str(self.binary), "decode", "--verify", "--json", str(files[-1])], capture_output=True, text=True,
                                        check=False, timeout=120, env={**os.environ, **ENVIRONMENT})
                if result.returncode == 0:
                    return []
            time.sleep(1)
        return ["no recording"] if not files else [f"the recording is damaged: {(result.stderr or result.stdout)[-300:]}"]
