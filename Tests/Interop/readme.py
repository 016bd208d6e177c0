"""Runs the commands of README.md as a user pastes them: all in one shell, in order, on the ports that they name."""

import pathlib
import re
import subprocess

import blocks
import media

README = pathlib.Path(__file__).resolve().parents[2] / "README.md"
# Set-up and build are done already; shorter times and fewer subscribers save minutes and prove the same.
REPLACED = [(r"(?m)^(?:tools/|swift build).*$", ":"), (r"-t 60\b", "-t 6"), (r"--duration 20\b", "--duration 3"),
            (r"--subscribers 100\b", "--subscribers 10")]
SECONDS = 150


def script(text):
    """Returns the shell commands of a Markdown text."""
    commands = "\n".join(block.text for block in blocks.blocks(text) if block.language == "sh")
    for pattern, replacement in REPLACED:
        commands = re.sub(pattern, replacement, commands)
    return commands


def commands_in_order(bench, name):
    prefix = blocks.namespace()
    if prefix is None:
        bench.reporter.skip(name, "needs a network namespace: the commands name ports that may be in use here")
        return
    folder, report = bench.folder(name), bench.reporter.check
    binary = folder / ".build/release/millrace"
    binary.parent.mkdir(parents=True)
    binary.symlink_to(bench.binary)
    # Read from standard input, as from a terminal: a program that reads standard input would consume the following commands.
    (folder / "commands.sh").write_text("ip link set lo up\n" + script(README.read_text()))
    outcome = blocks.run(prefix, (), folder, folder / "commands.sh", folder / "commands.log", SECONDS)
    if not report(name, "every command succeeds", outcome.status == 0, **outcome.values):
        return
    counts, last = media.probe(folder / "received.webm")
    # Five seconds; video begins with the next key frame, which arrives within two.
    report(name, "audio and video are received", counts.get("video", 0) >= 80 and counts.get("audio", 0) >= 200 and min(last.values()) >= 3,
           **counts)
    report(name, "the frame is a PNG", (folder / "still.png").read_bytes().startswith(b"\x89PNG"))
    report(name, "the recording is whole", re.search(r"^\s+whole$", outcome.said, re.M) is not None)
    loads = len(re.findall(r"^\S*millrace load ", script(README.read_text()), re.M))
    receiving = len(re.findall(r"^lost +\d+ of [1-9]", outcome.said, re.M))
    report(name, "each load receives packets", loads > 0 and receiving == loads, loads=loads, receiving=receiving)


COMPLETION = """
source <("$0" --generate-completion-script bash)
COMP_WORDS=(millrace {0}) COMP_CWORD={1} COMP_LINE="millrace {0}" COMP_POINT={2}
_millrace millrace "${{COMP_WORDS[-1]}}" "${{COMP_WORDS[-2]}}"
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def completion(bench, name):
    """Checks docs/admin.md, Shell completion."""
    for words, wanted in (("ser", "serve"), ("session li", "list"), ("serve --http-p", "--http-port")):
        text = COMPLETION.format(words, len(words.split()), len("millrace " + words))
        done = subprocess.run(["bash", "-c", text, bench.binary], capture_output=True, text=True, timeout=60)
        bench.reporter.check(name, f"bash completes \"millrace {words}\"", done.stdout.split() == [wanted], **{"to": done.stdout.split()[:4]})
    for shell in ("zsh", "fish"):
        done = subprocess.run([bench.binary, "--generate-completion-script", shell], capture_output=True, text=True, timeout=60)
        bench.reporter.check(name, f"there is a script for {shell}", done.returncode == 0 and "millrace" in done.stdout)


ALL = [
    ("commands of README.md", commands_in_order),
    ("shell completion", completion),
]
