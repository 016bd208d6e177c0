"""Clients that are separate programs and print their counts of sent or received media: Pion, and GStreamer's webrtcbin."""

import functools
import json
import os
import pathlib
import shutil
import subprocess

import clients
import media

HERE = pathlib.Path(__file__).resolve().parent
PION = HERE.parent / "pion/main.go"
# Sources of Debian's Go packages, and its Python, which has the bindings of its packages.
GO_SOURCES, DEBIAN_PYTHON = pathlib.Path("/usr/share/gocode"), "/usr/bin/python3"
BINDINGS = ("import gi\nfor name in ('Gst', 'GstWebRTC', 'GstSdp'): gi.require_version(name, '1.0')\n"
            "from gi.repository import Gst\nGst.init(None)\n"
            "assert Gst.ElementFactory.find('webrtcbin') and Gst.ElementFactory.find('nicesink')")


@functools.cache
def missing(kind):
    """Returns the packages that a kind of client lacks on this machine, or None."""
    if kind == "pion" and not (shutil.which("go") and (GO_SOURCES / "src/github.com/pion/webrtc").exists()):
        return "golang-go and golang-github-pion-webrtc.v3-dev"
    if kind == "webrtcbin" and not (os.path.exists(DEBIAN_PYTHON) and
                                    subprocess.run([DEBIAN_PYTHON, "-c", BINDINGS], capture_output=True).returncode == 0):
        return "python3-gi, gir1.2-gst-plugins-bad-1.0 and gstreamer1.0-nice"
    return None


def pion(folder):
    """Builds the client and returns its path. The first build takes half a minute; Go caches its parts."""
    tree, program = folder / "src/millrace-pion", folder / "pion-client"
    if not program.exists() or program.stat().st_mtime < PION.stat().st_mtime:
        tree.mkdir(parents=True, exist_ok=True)
        shutil.copy(PION, tree)
        # Debian's packages are a GOPATH. Import paths with a major version need a module around the importing file.
        (tree / "go.mod").write_text("module millrace-pion\n")
        environment = {**os.environ, "GO111MODULE": "off", "GOPATH": f"{folder}:{GO_SOURCES}", "CGO_ENABLED": "0", "GOFLAGS": "",
                       "GOCACHE": os.environ.get("GOCACHE", str(pathlib.Path.home() / ".cache/go-build"))}
        done = subprocess.run(["go", "build", "-o", program, "."], cwd=tree, env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            raise media.MediaError(f"go build: {done.stderr.strip()[-600:]}")
    return program


class Native:
    """A running client."""

    def __init__(self, command, log):
        self.process = clients.Process(log.stem, command, log)

    @property
    def lines(self):
        """Returns its output, without output of other programs in the log."""
        found = []
        for line in self.process.log.read_text(errors="replace").splitlines():
            try:
                found.append(json.loads(line))
            except ValueError:
                pass
        return [line for line in found if isinstance(line, dict)]

    @property
    def last(self):
        return next((line for line in reversed(self.lines) if "state" in line), {"state": "new", "video": 0, "audio": 0})

    def delete(self):
        """Ends the client; returns the status of its DELETE, or None if it sent none."""
        self.process.stop(patience=12)
        return next((line["deleted"] for line in self.lines if "deleted" in line), None)

    def stop(self):
        self.process.stop()


def start(kind, role, url, bench, file=None):
    log = bench.current / f"{kind}-{role}.log"
    if kind == "pion":
        command = [pion(bench.work / "pion"), role, url]
        if role == "publish":
            for suffix, switches in ((".ivf", ["-map", "0:v"]), (".ogg", ["-map", "0:a", "-page_duration", "20000"])):
                path = file.path.with_suffix(suffix)
                if not path.exists():
                    media.run(["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", file.path, *switches, "-c", "copy", path])
                command.append(path)
    else:
        command = [DEBIAN_PYTHON, HERE / "webrtcbin_client.py", role, url]
    return bench.keep(Native(command, log))
