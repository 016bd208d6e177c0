"""Size, shared libraries, time until ready, and memory and CPU time while idle, of the relay and of Debian's Janus in one run.

Both listen on loopback and have no sessions. Janus loads one plugin (VideoRoom) and one transport (HTTP). Starts alternate; the median counts.
"Ready" is the first answer with status 200, of the relay's /readyz and of Janus' /janus/info. Files in memory are the executable, libraries and plugins."""

import argparse
import json
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Tests/Interop"))
sys.dont_write_bytecode = True

from webrtc import janus  # noqa: E402


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Program:
    """One server: its command, and a running process of it."""

    def __init__(self, name, binary, folder):
        self.name, self.binary, self.folder = name, pathlib.Path(binary).resolve(), folder
        self.process, self.starts = None, []
        folder.mkdir(parents=True)

    def command(self, port):
        """Returns the command, and the path that answers 200 when the server is ready."""
        if self.name == "Janus":
            janus.configure(self.folder, port, "127.0.0.1")
            return [self.binary, "--configs-folder", self.folder, "--disable-colors"], "/janus/info"
        return [self.binary, "serve", "--http-port", str(port), "--media-port", "0", "--webrtc-port", "0"], "/readyz"

    def start(self):
        port = free_port()
        command, path = self.command(port)
        with open(self.folder / "log", "w") as log:
            began = time.monotonic()
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        while not self._ready(port, path):
            if self.process.poll() is not None or time.monotonic() - began > 30:
                raise SystemExit(f"{self.name} did not start: {(self.folder / 'log').read_text()[-500:]}")
            time.sleep(0.001)
        self.starts.append((time.monotonic() - began) * 1e3)

    @staticmethod
    def _ready(port, path):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return False
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
                return answer.status == 200
        except (urllib.error.URLError, ConnectionError):
            return False

    def stop(self):
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None

    def cpu(self):
        """Returns the CPU milliseconds of all threads that still exist."""
        return sum(int(path.read_text().split()[0]) for path in pathlib.Path(f"/proc/{self.process.pid}/task").glob("*/schedstat")) / 1e6

    def memory(self):
        """Returns resident and proportional set size, and the part of the former that no file backs, in KiB."""
        values = {}
        for line in pathlib.Path(f"/proc/{self.process.pid}/smaps_rollup").read_text().splitlines()[1:]:
            key, value = line.split(":")
            values[key] = int(value.split()[0])
        return values["Rss"], values["Pss"], values["Anonymous"]

    def files(self):
        """Returns paths of the executable files in memory."""
        rows = (line.split(maxsplit=5) for line in pathlib.Path(f"/proc/{self.process.pid}/maps").read_text().splitlines())
        return {row[5] for row in rows if len(row) == 6 and "x" in row[1] and row[5].startswith("/")}

    def stripped_bytes(self):
        """Returns the size without symbols, as a package has it; None without the program strip."""
        if shutil.which("strip") is None:
            return None
        copy = self.folder / "stripped"
        subprocess.run(["strip", "-o", copy, self.binary], check=True)
        return copy.stat().st_size

    def libraries(self):
        """Returns the number of shared libraries that the loader maps; the vDSO and the loader itself are not counted."""
        text = subprocess.run(["ldd", self.binary], capture_output=True, text=True, check=True).stdout
        return sum("=>" in line for line in text.splitlines())


ROWS = [
    ("executable, MB", lambda f: f"{f['fileBytes'] / 1e6:.1f}"),
    ("executable without symbols, MB", lambda f: f"{f['strippedBytes'] / 1e6:.1f}" if f["strippedBytes"] else "-"),
    ("all files in memory, MB", lambda f: f"{f['mappedFileBytes'] / 1e6:.1f}"),
    ("shared libraries (ldd)", lambda f: str(f["libraries"])),
    ("shared libraries and plugins in memory", lambda f: str(f["mappedFiles"] - 1)),
    ("time until ready, ms", lambda f: f"{f['readyMilliseconds']:.0f} ({min(f['starts']):.0f} to {max(f['starts']):.0f})"),
    ("idle resident memory (RSS), MiB", lambda f: f"{f['residentKiB'] / 1024:.1f}"),
    ("idle proportional memory (PSS), MiB", lambda f: f"{f['proportionalKiB'] / 1024:.1f}"),
    ("idle resident memory without files, MiB", lambda f: f"{f['anonymousKiB'] / 1024:.1f}"),
    ("idle CPU time, ms per second", lambda f: f"{f['idleMillisecondsPerSecond']:.2f}"),
    ("threads", lambda f: str(f["threads"])),
]


def measure(programs, rounds, seconds):
    try:
        for number in range(rounds):
            for program in programs:
                program.start()
                if number < rounds - 1:
                    program.stop()
        time.sleep(seconds)
        before = [program.cpu() for program in programs]
        time.sleep(seconds)
        figures = {}
        for program, cpu in zip(programs, before):
            spent, files = program.cpu() - cpu, program.files()
            resident, proportional, anonymous = program.memory()
            figures[program.name] = {
                "fileBytes": program.binary.stat().st_size, "strippedBytes": program.stripped_bytes(),
                "mappedFileBytes": sum(os.path.getsize(path) for path in files if os.path.exists(path)), "mappedFiles": len(files),
                "libraries": program.libraries(), "readyMilliseconds": statistics.median(program.starts),
                "starts": [round(value, 1) for value in program.starts], "residentKiB": resident, "proportionalKiB": proportional,
                "anonymousKiB": anonymous, "idleMillisecondsPerSecond": spent / seconds,
                "threads": len(os.listdir(f"/proc/{program.process.pid}/task"))}
        return figures
    finally:
        for program in programs:
            program.stop()


def main():
    parser = argparse.ArgumentParser(prog="tools/bench start", description=__doc__.split("\n\n")[0])
    parser.add_argument("--relay", required=True, metavar="PATH", help="the millrace binary (default: a release build)")
    parser.add_argument("--rounds", type=int, default=9, help="starts of each program (default 9)")
    parser.add_argument("--seconds", type=float, default=10, help="time until memory is measured, and again of the idle CPU time (default 10)")
    parser.add_argument("--max-resident-ratio", type=float, default=0, help="maximum of the relay's idle resident memory relative to Janus; 0: any")
    parser.add_argument("--json", metavar="FILE", help="figures as JSON; - is standard output")
    arguments = parser.parse_args()
    if arguments.rounds < 1 or arguments.seconds < 1:
        parser.error("--rounds and --seconds: at least 1")
    if not os.access(arguments.relay, os.X_OK):
        parser.error(f"{arguments.relay} cannot be executed")
    with tempfile.TemporaryDirectory() as folder:
        programs = [Program("relay", arguments.relay, pathlib.Path(folder) / "relay")]
        if janus.found():
            programs.append(Program("Janus", shutil.which("janus"), pathlib.Path(folder) / "janus"))
        else:
            print("Janus is not installed (tools/setup --for bench): figures of the relay alone", file=sys.stderr)
        figures = measure(programs, arguments.rounds, arguments.seconds)
    ratio = figures["relay"]["residentKiB"] / figures["Janus"]["residentKiB"] if "Janus" in figures else None
    if arguments.json == "-":
        print(json.dumps({"programs": figures, "residentRatio": ratio}, indent=1))
    else:
        print(f"{'':40}" + "".join(f"{name:>24}" for name in figures))
        for title, text in ROWS:
            print(f"{title:40}" + "".join(f"{text(values):>24}" for values in figures.values()))
        if ratio is not None:
            print(f"idle resident memory: {ratio:.2f} times that of Janus")
        if arguments.json:
            pathlib.Path(arguments.json).write_text(json.dumps({"programs": figures, "residentRatio": ratio}, indent=1) + "\n")
    if arguments.max_resident_ratio and ratio is None:
        print("--max-resident-ratio needs Janus", file=sys.stderr)
        return 1
    return 1 if arguments.max_resident_ratio and ratio > arguments.max_resident_ratio else 0


if __name__ == "__main__":
    sys.exit(main())
