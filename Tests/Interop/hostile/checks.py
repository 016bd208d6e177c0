"""Attacks that succeeded in the past, each against a separate relay with default limits."""

import json
import os
import pathlib
import re
import socket
import subprocess
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import clients
from relay import RelayError, free_media_port, free_tcp_port

from . import messages, readers
from .target import ENVIRONMENT, REPORT, Target
from .websocket import Closed, WebSocket

TOKEN = "a-token-of-the-hostile-run"


class Bench:
    """Binaries and folders for a check."""

    def __init__(self, relay, driver, work, reporter):
        self.binary, self.driver, self.work, self.reporter = relay, driver, work, reporter
        self.targets = []
        # A sanitizer multiplies memory: bounds in bytes apply to a plain build.
        self.is_sanitized = b"__asan_init" in pathlib.Path(relay).read_bytes()

    def start(self, check, **options):
        folder = self.work / check
        folder.mkdir(parents=True, exist_ok=True)
        self.targets.append(Target(self.binary, folder, limits=False, **options))
        return self.targets[-1]

    def attack(self, target, *arguments, timeout=300):
        """Runs the driver. Returns its exit status and output."""
        command = [str(self.driver), "--url", target.url, "--media-port", str(target.relay.media_port),
                   "--webrtc-port", str(target.relay.webrtc_port), *map(str, arguments)]
        result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout, env={**os.environ, **ENVIRONMENT})
        return result.returncode, (result.stdout + result.stderr)[-400:]

    def survived(self, name, target, probe=None):
        """Runs the checks that end every attack."""
        running = target.process.running
        self.reporter.check(name, "the relay runs on", running, **({} if running else {"log": target.process.tail(4)}))
        if running and probe:
            faults = target.probe(probe)
            self.reporter.check(name, "a clean session is served", not faults, **({"faults": faults} if faults else {}))
        status = target.stop()
        self.reporter.check(name, "no report in the log, and status 0", not target.reports() and (status == 0 or not running),
                            **({"reports": target.reports()} if target.reports() else {}), status=status)


def memory(target):
    return target.metrics()["process_resident_memory_bytes"] / (1 << 20)


def feedback_overflow(bench, name):
    """17,300 feedback blocks of an authentic WebRTC subscriber, each with a reference time that is 2^23 - 1 units later."""
    target = bench.start(name)
    status, output = bench.attack(target, "--feedback", 17_300)
    bench.reporter.check(name, "the subscriber sent all blocks", status == 0, output=output.strip()[-200:])
    bench.survived(name, target, probe=11)


def idle(port):
    """Opens an idle connection; returns None if the relay does not accept it."""
    try:
        return socket.create_connection(("127.0.0.1", port), timeout=4)
    except OSError:
        return None


def idle_connections(bench, name):
    """1,300 idle TCP connections from one address, with a soft limit of 1,024 files."""
    for kind, limits in (("soft limit", "-Sn 1024"), ("hard limit", "-n 1024")):
        target = bench.start(name, name=kind.replace(" ", "-"), prefix=("bash", "-c", f'ulimit {limits}; exec "$@"', "_"))
        held, answered, asked = [], 0, 0
        try:
            with ThreadPoolExecutor(32) as pool:
                held = list(filter(None, pool.map(lambda _: idle(target.port), range(1_300))))
            # The requests come from another address, because the first one has used up its share. Answers need files at the relay.
            end = time.monotonic() + 6
            while time.monotonic() < end:
                path = ("/healthz", "/metrics", "/v1/dev/token?session=a&name=b", "/v1/sessions")[asked % 4]
                asked += 1
                with socket.create_connection(("127.0.0.1", target.port), timeout=5, source_address=("127.0.0.2", 0)) as other:
                    other.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{target.port}\r\nConnection: close\r\n\r\n".encode())
                    answered += b" 200 " in other.recv(4_096)[:20]
            bench.reporter.check(f"{name}: {kind}", "another address is still answered", answered == asked, answered=f"{answered} of {asked}",
                                 held=len(held))
        except OSError as error:
            bench.reporter.check(f"{name}: {kind}", "another address is still answered", False, error=error, held=len(held))
        finally:
            for connection in held:
                connection.close()
        time.sleep(1)
        bench.survived(f"{name}: {kind}", target, probe=12)


def sockets_of_one_token(bench, name):
    """A subscriber token that opens 1,000 WebSockets, joins on each, and reads nothing."""
    target = bench.start(name)

    def token(role, who):
        with urllib.request.urlopen(f"{target.url}/v1/dev/token?session=full&name={who}&role={role}") as answer:
            text = answer.read().decode()
        return json.loads(text)["token"] if text.lstrip().startswith("{") else text.strip()

    def join(token, path="/v1/connect"):
        web = WebSocket(target.port, path)
        web.text(json.dumps({"id": 1, "method": "join", "params": {"version": 1, "session": "full", "token": token, "name": "x"}}))
        for text in web.messages(20):
            message = json.loads(text)
            if message.get("id") == 1:
                return web, message
        web.close()
        raise Closed("no answer")

    host, one = token("host", "host"), token("subscriber", "one")
    sender, answer = join(host)
    before, held, refused = memory(target), [], {}
    for _ in range(1_000):
        try:
            web, message = join(one)
        except (Closed, OSError) as error:
            refused[str(error)[:40]] = refused.get(str(error)[:40], 0) + 1
        else:
            if "result" in message:
                held.append(web)
            else:
                code = message["error"]["code"] + " " + message["error"].get("limit", "")
                refused[code] = refused.get(code, 0) + 1
                web.close()
        sender.messages(0)
        if sum(refused.values()) > 50:
            break
    try:
        for number in range(300):
            sender.text(json.dumps({"id": number + 2, "method": "signal", "params": {"type": "x", "data": "y" * 8_000}}))
            sender.messages(0.05)
        time.sleep(1)
    except Closed as error:
        bench.reporter.check(name, "the host can still send signals", False, error=error)
    grown = memory(target) - before
    bench.reporter.check(name, "its connections are limited", refused and len(held) < 500, joined=len(held), refused=refused)
    # A process keeps some pages that it freed; the queues of one token hold at most 64 MiB.
    bench.reporter.check(name, "it costs at most 64 MiB", bench.is_sanitized or grown < 80, MiB=round(grown))
    try:
        web, answer = join(token("subscriber", "other"))
        bench.reporter.check(name, "another token can join", "result" in answer, answer=str(answer)[:80])
        web.close()
    except (Closed, OSError) as error:
        bench.reporter.check(name, "another token can join", False, error=error)
    for web in [*held, sender]:
        web.close()
    bench.survived(name, target, probe=13)


def foreign_origin(bench, name):
    """Offers that a page of another origin, or under a foreign host name, posts to WHIP and WHEP."""
    target = bench.start(name)
    offers = {"whip": messages.SDP["chromium-publish"], "whep": messages.SDP["chromium-view"]}

    def post(path, offer, headers):
        request = urllib.request.Request(target.url + path, offer.encode(), method="POST",
                                         headers={"content-type": "application/sdp", **headers})
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.status, answer.headers.get("access-control-allow-origin")
        except urllib.error.HTTPError as error:
            return error.code, error.headers.get("access-control-allow-origin")

    own = f"http://127.0.0.1:{target.port}"
    status, _ = post("/whip/origin?stream=own", offers["whip"], {})
    bench.reporter.check(name, "a client without an origin publishes", status == 201, status=status)
    status, _ = post("/whip/origin?stream=page", offers["whip"], {"origin": own})
    bench.reporter.check(name, "the relay's own page publishes", status == 201, status=status)
    for path, kind in (("/whip/origin?stream=foreign", "whip"), ("/whep/origin/own", "whep")):
        for title, headers in (("foreign Origin", {"origin": "https://foreign.example"}), ("null Origin", {"origin": "null"}),
                               ("foreign Host", {"host": "foreign.example"})):
            status, allowed = post(path, offers[kind], headers)
            bench.reporter.check(name, f"{kind} refuses a {title}", status in (401, 403), status=status, allowed=allowed)
    bench.survived(name, target)


def time_jumps(bench, name):
    """A publisher of 720p whose timeline jumps by 9 s, with readers of its frames and audio."""
    target = bench.start(name)
    driver = subprocess.Popen([str(bench.driver), "--url", target.url, "--scenario", "jumps"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, env={**os.environ, **ENVIRONMENT})
    path = "/v1/sessions/scenario/streams/plain"
    clients.wait_until(lambda: readers.fetch(target.port, path + "/canvas.png", 1 << 24)[0] == 200, 60, "a frame of the publisher")
    attached = [readers.Reader(target.port, "scenario", "plain", kind, rate=30) for kind in ("y4m", "wav")]
    for reader in attached:
        reader.start()
    time.sleep(1)
    before = memory(target)
    peak = before
    while driver.poll() is None and target.process.running:
        try:
            peak = max(peak, memory(target))
        except Exception:  # the relay is gone: the next check reports it
            break
        time.sleep(0.3)
    driver.wait(60)
    bench.reporter.check(name, "two readers hold at most 64 MiB each", bench.is_sanitized or peak - before < 160, MiB=round(peak - before),
                         driver=driver.returncode)
    for reader in attached:
        reader.stopping.set()
        reader.join(10)
    bench.reporter.check(name, "both were served", all(reader.bytes > 1 << 20 for reader in attached), MiB=[reader.bytes >> 20 for reader in attached])
    bench.survived(name, target, probe=14)


def damaged_recording(bench, name):
    """A publisher that begins with a key frame of 0 x 0 pixels, and whose timestamps jump by 2^30 ticks for one frame."""
    target = bench.start(name)
    status, output = bench.attack(target, "--scenario", "damage")
    bench.reporter.check(name, "the publisher sent all", status == 0, output=output.strip()[-200:])
    time.sleep(2)
    frames, files = 0, sorted(target.recordings.rglob("*.webm"))
    for file in files:
        result = subprocess.run([str(target.binary), "decode", "--md5", str(file)], capture_output=True, text=True, check=False,
                                timeout=120, env={**os.environ, **ENVIRONMENT})
        frames += len(re.findall(r"(?m)^[0-9a-f]{32}", result.stdout))
    # 300 frames; each of the two damaged key frames costs 30, until the next one.
    bench.reporter.check(name, "the recording goes on after the damage", frames > 200, frames=frames, files=len(files))
    bench.survived(name, target, probe=15)


def exposed_http(bench, name):
    """An HTTP port without TLS on an address other than loopback."""
    folder = bench.work / name
    folder.mkdir(parents=True, exist_ok=True)

    def serve(*options, seconds=4):
        port = free_tcp_port()
        process = clients.Process("relay", [bench.binary, "serve", "--http-port", port, "--media-port", 0, "--webrtc-port",
                                            free_media_port(), *options], folder / f"relay-{port}.log", ENVIRONMENT)
        ended = process.wait(seconds)
        listening = {line.split()[1] for path in ("/proc/net/tcp", "/proc/net/tcp6") for line in pathlib.Path(path).read_text().splitlines()[1:]
                     if line.split()[3] == "0A" and line.split()[1].endswith(f":{port:04X}")}
        process.stop(10)
        return ended, {item.rpartition(":")[0] for item in listening}, process.log.read_text(errors="replace")

    ended, addresses, _ = serve("--admin-token", TOKEN)
    bench.reporter.check(name, "an admin token alone keeps HTTP on loopback", not ended and addresses == {"0100007F"}, addresses=addresses)
    for options in (("--http-address", "0.0.0.0"), ("--http-address", "0.0.0.0", "--admin-token", TOKEN),
                    ("--http-address", "0.0.0.0", "--insecure-http", "--admin-token", TOKEN)):
        ended, addresses, log = serve(*options)
        bench.reporter.check(name, f"refused: {' '.join(options).replace(TOKEN, 'TOKEN')}", ended and not addresses,
                             said=log.strip().splitlines()[-1][:160] if log.strip() else "")
    for path in folder.glob("*.log"):
        bench.reporter.check(name, "no report in the log", not REPORT.search(path.read_text(errors="replace")))


def guessed_admin_token(bench, name):
    """Wrong admin tokens, and then the right one."""
    target = bench.start(name, extra=["--admin-token", TOKEN])

    def ask(token):
        request = urllib.request.Request(f"{target.url}/v1/admin/relay", headers={"authorization": f"Bearer {token}"})
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code

    bench.reporter.check(name, "the right token is accepted", ask(TOKEN) == 200)
    wrong = [ask(f"{TOKEN}-{number}") for number in range(12)]
    bench.reporter.check(name, "wrong tokens are refused", all(status in (401, 403, 429) for status in wrong), statuses=wrong)
    status = ask(TOKEN)
    bench.reporter.check(name, "then the address is refused", status in (403, 429), status=status)
    bench.survived(name, target)


def planted_trap(bench, name):
    """A trap that a debug build triggers after the first subscriber: checks what the process leaves behind."""
    crashes = bench.work / name / "crash"
    if bench.is_sanitized:
        bench.reporter.skip(name, "builds with a sanitizer write no crash report")
        return
    target = bench.start(name, extra=["--crash-directory", crashes], environment={"MILLRACE_FAULT": "trap"})
    if "fault=trap" not in target.log.read_text(errors="replace"):
        target.stop()
        bench.reporter.skip(name, "only debug builds have faults")
        return
    try:
        target.relay.open("publish", "trap", kinds=("audio",))
        target.relay.open("subscribe", "trap", kinds=("audio",))
    except (RelayError, OSError):
        pass  # the relay may have ended
    ended = target.process.wait(20)
    status = target.process.process.returncode
    files = sorted(crashes.glob("crash-*")) if crashes.exists() else []
    text = files[0].read_text(errors="replace") if files else ""
    times = [int(found[1]) for found in (re.search(rf"(?m)^{word}: (\d+) ns", text) for word in ("entered", "end")) if found]
    bench.reporter.check(name, "the process ends by a signal", ended and status < 0, status=status)
    bench.reporter.check(name, "its report is complete within 200 ms", len(times) == 2 and times[1] - times[0] < 200_000_000, files=len(files),
                         ms=(times[1] - times[0]) / 1e6 if len(times) == 2 else None)
    bench.reporter.check(name, "the report has a backtrace, decisions and counters",
                         all(part in text for part in ("\nbacktrace:\n#0 ", "\ndecisions", "\ncounters of media-0:\n")))
    target.stop()


ALL = {
    "feedback-overflow": feedback_overflow, "idle-connections": idle_connections, "sockets-of-one-token": sockets_of_one_token,
    "foreign-origin": foreign_origin, "time-jumps": time_jumps, "damaged-recording": damaged_recording, "exposed-http": exposed_http,
    "guessed-admin-token": guessed_admin_token, "planted-trap": planted_trap,
}
