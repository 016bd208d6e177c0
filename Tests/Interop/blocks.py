"""Code blocks of the documents, and shells in which their commands run as a reader pastes them."""

import os
import re
import shutil
import subprocess
import time
import typing

# Word after the language of a shell block that no test runs: it needs another machine, the internet or the services of the host; it takes minutes.
MARKS = ("elsewhere", "slow")
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.S | re.M)


class Block(typing.NamedTuple):
    language: str
    mark: str
    text: str
    line: int


def blocks(text):
    """Returns the code blocks of a Markdown text, in order."""
    found = []
    for fence in FENCE.finditer(text):
        language, _, mark = fence[1].partition(" ")
        found.append(Block(language, mark, fence[2], text.count("\n", 0, fence.start()) + 1))
    return found


def faults(text):
    """Returns (line, fault) of each code block whose mark is unknown, or whose language has no marks."""
    return [(block.line, f"unknown mark \"{block.mark}\" of a block in \"{block.language}\"; known for sh: {', '.join(MARKS)}")
            for block in blocks(text) if block.mark and (block.language != "sh" or block.mark not in MARKS)]


def namespace(*more):
    """Returns a command that runs another in new network and process namespaces, where all ports are free; None if unavailable."""
    switches = ["--net", "--pid", "--fork", "--kill-child", "--mount-proc", *more, *([] if os.getuid() == 0 else ["--map-root-user"])]
    command = ["unshare", *switches]
    usable = shutil.which("unshare") and subprocess.run([*command, "true"], capture_output=True).returncode == 0
    return command if usable else None


class Outcome(typing.NamedTuple):
    status: object
    seconds: int
    said: str

    @property
    def values(self):
        """Returns the values of a check: those of a failure include the last lines of the output."""
        last = {} if self.status == 0 else {"last": " / ".join(self.said.strip().splitlines()[-4:])[-300:]}
        return {"status": self.status, "seconds": self.seconds, **last}


def run(prefix, arguments, folder, commands, log, seconds, environment=None):
    """Runs a shell in `folder` to its end; `commands`: file on its standard input. Its processes end with it if `prefix` is a namespace."""
    began = time.monotonic()
    with open(commands) as source, log.open("w") as output:
        shell = subprocess.Popen([*prefix, "bash", "-ex", "-o", "pipefail", *arguments], stdin=source, stdout=output, stderr=subprocess.STDOUT,
                                 cwd=folder, env={**os.environ, **(environment or {})})
        try:
            status = shell.wait(seconds)
        except subprocess.TimeoutExpired:
            status = f"running after {seconds} s"
        finally:
            shell.kill()
            shell.wait()
    return Outcome(status, round(time.monotonic() - began), log.read_text(errors="replace"))
