"""Manual pages of millrace, from the help that the executable prints as JSON. Used by tools/package.

Usage: manpages.py EXECUTABLE FOLDER. Writes millrace.1, and a page for each subcommand: millrace-serve.1, millrace-session-list.1 and so on.
"""

import datetime
import json
import pathlib
import re
import subprocess
import sys
import textwrap


def escaped(text):
    """Returns text for roff: backslashes and hyphens are escaped, and no line begins with a control character."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def paragraphs(text):
    """Returns roff for a discussion: lines with an indentation are shown as they are, the others are filled."""
    out, shown = [], False
    for line in text.splitlines():
        if not line.strip():
            out += [".fi", ".RE"] if shown else []
            shown = False
            out.append(".PP")
        elif line.startswith(" "):
            out += [] if shown else [".RS", ".nf"]
            shown = True
            out.append(escaped(textwrap.dedent(line)))
        else:
            out += [".fi", ".RE"] if shown else []
            shown = False
            out.append(escaped(line))
    return out + ([".fi", ".RE"] if shown else [])


def spelled(name):
    return ("--" if name["kind"] == "long" else "-") + name["name"]


def shown(command, key):
    """Returns the arguments or subcommands that help lists; the subcommand "help" has no page."""
    return [item for item in command.get(key, []) if item.get("shouldDisplay", True) and item.get("commandName") != "help"]


def term(argument):
    """Returns the names of an argument and its value, as roff."""
    value = rf"\fI{escaped(argument['valueName'])}\fR"
    if argument["kind"] == "positional":
        return value
    names = ", ".join(rf"\fB{escaped(spelled(name))}\fR" for name in argument.get("names", []))
    return names if argument["kind"] == "flag" else f"{names} {value}"


def usage(path, command):
    if shown(command, "subcommands"):
        return rf".B {escaped(path)}" + "\n" + r"\fIsubcommand\fR"
    words = ["[\\fIoptions\\fR]"] if any(a["kind"] != "positional" for a in shown(command, "arguments")) else []
    for argument in shown(command, "arguments"):
        if argument["kind"] == "positional":
            dots = " ..." if argument["isRepeating"] else ""
            words.append(f"[{term(argument)}{dots}]" if argument["isOptional"] else term(argument) + dots)
    return rf".B {escaped(path)}" + "\n" + " ".join(words)


def page(path, command, version, date):
    """Returns the manual page of one command.

    `path`: the words that call the command, such as "millrace session list".
    """
    name = path.replace(" ", "-")
    lines = [f'.TH {escaped(name.upper())} 1 "{date}" "millrace {version}" "User Commands"',
             ".SH NAME", f"{escaped(name)} \\- {escaped(command.get('abstract', '').rstrip('.'))}",
             ".SH SYNOPSIS", usage(path, command)]
    if command.get("discussion"):
        lines += [".SH DESCRIPTION", *paragraphs(command["discussion"])]
    if subcommands := shown(command, "subcommands"):
        lines.append(".SH SUBCOMMANDS")
        for sub in subcommands:
            lines += [".TP", rf"\fB{escaped(name + '-' + sub['commandName'])}\fR(1)", escaped(sub.get("abstract", ""))]
    sections = {}
    for argument in shown(command, "arguments"):
        section = "Arguments" if argument["kind"] == "positional" else argument.get("sectionTitle", "Options")
        sections.setdefault(section, []).append(argument)
    for section, arguments in sections.items():
        lines.append(f".SH {escaped(section.upper())}")
        for argument in arguments:
            default = f" (default: {argument['defaultValue']})" if argument.get("defaultValue") else ""
            lines += [".TP", term(argument), escaped(argument.get("abstract", "") + default) or r"\&"]
    if path != "millrace":
        lines += [".SH SEE ALSO", ".BR millrace (1)"]
    return "\n".join(lines) + "\n"


def pages(command, version, date, path=""):
    """Returns name -> text of the pages of a command and its subcommands."""
    path = f"{path} {command['commandName']}".strip()
    found = {path.replace(" ", "-"): page(path, command, version, date)}
    for sub in shown(command, "subcommands"):
        found |= pages(sub, version, date, path)
    return found


def main(executable, folder):
    def run(*arguments):
        return subprocess.run([executable, *arguments], capture_output=True, text=True, check=True).stdout

    root, date = json.loads(run("--experimental-dump-help"))["command"], datetime.date.today().isoformat()
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    for name, text in pages(root, run("--version").strip(), date).items():
        pathlib.Path(folder, f"{name}.1").write_text(text)
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(0 if sys.argv[1:] in (["-h"], ["--help"]) else 2)
    sys.exit(main(*sys.argv[1:]))
