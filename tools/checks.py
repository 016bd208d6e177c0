"""Checks of the sources that need no compiler: import floors, sizes, words, links and proofs. Used by tools/check."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINES_AT_MOST = 400
# The floors that must stay free of IO, clocks and tasks.
PURE = {"L1", "L2", "L3"}
# Words that mean IO, time or concurrency; matched in the pure floors only, outside comments.
FORBIDDEN_IN_PURE = re.compile(
    r"\b(clock_gettime|gettimeofday|ContinuousClock|SuspendingClock|Date\(\)|DispatchQueue|pthread_\w+|Mutex<|NSLock"
    r"|recvmsg|sendmsg|recvmmsg|sendmmsg|epoll_\w+|Task\s*\{|Task\.detached|Task\.sleep)")
# Marks of unfinished work and calls that trap; spelled so that this line is not one of them.
FORBIDDEN_EVERYWHERE = re.compile(r"\b(T[O]DO|F[I]XME|X[X]X)\b|\bfatal[E]rror\(|not (?:yet )?[i]mplemented", re.I)
IMPORT = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+"
    r"(?:(?:struct|class|enum|protocol|func|var|let|typealias|actor)\s+)?([A-Za-z_]\w*)")


def tracked(*patterns):
    """Files of the repository, also those not committed yet, without what is ignored."""
    out = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns],
                         cwd=ROOT, capture_output=True, check=True).stdout
    return [ROOT / name for name in out.decode().split("\0") if name and (ROOT / name).is_file()]


def floors():
    """Target -> (floor, place), and target -> modules it may import besides; from the table in docs/architecture.md."""
    place, extra, free = {}, {}, set()
    for line in (ROOT / "docs/architecture.md").read_text().splitlines():
        row = re.match(r"\|\s*(L\d)\s*\|([^|]*)\|([^|]*)\|", line)
        if not row:
            continue
        for name in row[2].split():
            place[name] = (row[1], len(place))
        for item in row[3].split():
            if item == "*":
                free.add(row[1])
            else:
                target, module = item.split(":")
                extra.setdefault(target, set()).add(module)
    return place, extra, free


def code_only(text):
    """The text with comments and string contents blanked, line numbers kept."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match[0])
    return re.sub(r'"""(?:.|\n)*?"""|"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*(?:.|\n)*?\*/', blank, text)


def check_imports(faults):
    place, extra, free = floors()
    if len(place) < 10:
        faults.append("docs/architecture.md: the table of floors was not found")
        return
    for target in sorted(p.name for p in (ROOT / "Sources").iterdir() if p.is_dir()):
        if target not in place:
            faults.append(f"Sources/{target}: not in the table of floors of docs/architecture.md")
    for path in tracked("Sources/*.swift"):
        target = path.relative_to(ROOT).parts[1]
        if target not in place:
            continue
        floor, rank = place[target]
        code = code_only(path.read_text())
        for number, line in enumerate(code.splitlines(), 1):
            where = f"{path.relative_to(ROOT)}:{number}"
            found = IMPORT.match(line)
            if found:
                module = found[1]
                if module in place:
                    if place[module][1] >= rank and module != target:
                        faults.append(f"{where}: {target} ({floor}) imports {module} ({place[module][0]}), which climbs")
                elif floor not in free and module not in extra.get(target, ()):
                    faults.append(f"{where}: {target} ({floor}) imports {module}, which its floor may not")
            if floor in PURE and not found and (bad := FORBIDDEN_IN_PURE.search(line)):
                faults.append(f"{where}: {bad[0].strip()} on floor {floor}")


def check_words_and_sizes(faults):
    for path in tracked("Sources/*.swift", "Tests/*.swift", "Sources/*.c", "Sources/*.cpp", "Sources/*.h"):
        text = path.read_text()
        name = path.relative_to(ROOT)
        if (lines := text.count("\n")) > LINES_AT_MOST:
            faults.append(f"{name}: {lines} lines, over {LINES_AT_MOST}: this is two files")
        for number, line in enumerate(text.splitlines(), 1):
            if found := FORBIDDEN_EVERYWHERE.search(line):
                faults.append(f"{name}:{number}: \"{found[0]}\" left behind")
        if name.parts[0] == "Tests" and path.suffix == ".swift":
            for number, line in enumerate(code_only(text).splitlines(), 1):
                if re.search(r"\b(Thread|Task)\.sleep\b|\busleep\(|\bsleep\(", line):
                    faults.append(f"{name}:{number}: a test that sleeps")
    for path in tracked("Sources/**/Placeholder.swift", "Tests/**/Placeholder.swift", "Sources/*/Placeholder.swift",
                        "Tests/*/Placeholder.swift"):
        faults.append(f"{path.relative_to(ROOT)}: a placeholder left behind")


def check_links(faults):
    for path in tracked("*.md", "docs/*.md"):
        text = re.sub(r"```.*?```", "", path.read_text(), flags=re.S)
        headings = {}
        for link in re.findall(r"\[[^\]]*\]\(([^)\s]+)\)", text):
            if re.match(r"[a-z]+:", link):
                continue
            file, _, anchor = link.partition("#")
            target = (path.parent / file).resolve() if file else path
            if not target.exists():
                faults.append(f"{path.relative_to(ROOT)}: link to {link}, which does not exist")
            elif anchor and target.suffix == ".md":
                if target not in headings:
                    headings[target] = {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-")
                                        for h in re.findall(r"^#+ (.*)$", target.read_text(), re.M)}
                if anchor not in headings[target]:
                    faults.append(f"{path.relative_to(ROOT)}: link to {link}: no such heading")


def check_features(faults):
    """Each row of docs/features.md: | id | what | proof |. Every `quoted` proof must exist.

    A proof is a path, `tools/name ...`, `millrace subcommand ...`, `interop: case`, or `XTests: text`, where the text stands in
    a name or title of a test of that target. An id of the specification (CAN-1) stands in a test's title.
    """
    path = ROOT / "docs/features.md"
    tests = {}
    for file in tracked("Tests/*.swift"):
        tests.setdefault(file.relative_to(ROOT).parts[1], []).append(file.read_text())
    tests = {target: "\n".join(texts) for target, texts in tests.items()}
    interop = "\n".join(p.read_text() for p in tracked("Tests/Interop/*.py"))
    rows = 0
    for number, line in enumerate(path.read_text().splitlines(), 1):
        cells = [c.strip() for c in line.strip().strip("|").split("|")]
        if not line.startswith("|") or len(cells) != 3 or cells[0] in ("id", "") or set(cells[0]) <= {"-", ":"}:
            continue
        rows += 1
        where = f"docs/features.md:{number}: {cells[0]}"
        proofs = re.findall(r"`([^`]+)`", cells[2])
        if not proofs:
            faults.append(f"{where}: no proof")
        for proof in proofs:
            head = proof.split()[0]
            if found := re.match(r"(\w+Tests): (.+)", proof):
                if found[2] not in tests.get(found[1], ""):
                    faults.append(f"{where}: no test \"{found[2]}\" in Tests/{found[1]}")
            elif found := re.match(r"interop: (.+)", proof):
                if f'"{found[1]}"' not in interop:
                    faults.append(f"{where}: no case \"{found[1]}\" in Tests/Interop")
            elif head == "millrace":
                name = proof.split()[1]
                if not re.search(rf'commandName:\s*"{name}"', "\n".join(
                        p.read_text() for p in tracked("Sources/millrace/*.swift"))):
                    faults.append(f"{where}: no subcommand millrace {name}")
            elif "/" in head and not (ROOT / head).exists():
                faults.append(f"{where}: {head} does not exist")
        if re.fullmatch(r"[A-Z][A-Z0-9]{2}-\d+", cells[0]) and not any(cells[0] in t for t in tests.values()):
            faults.append(f"{where}: no test title names {cells[0]}")
    if not rows:
        faults.append("docs/features.md: no rows")


def check_configuration(faults):
    """Every key of the configuration stands in docs/configuration.md, and no other."""
    keys = set()
    for file in tracked("Sources/RelayServer/ConfigurationKey+All.swift"):
        keys |= set(re.findall(r"\.(?:text|integer|choice|flag)\(\s*\"([\w.]+)\"", file.read_text()))
    listed = set(re.findall(r"^\| `([\w.]+)` \|", (ROOT / "docs/configuration.md").read_text(), re.M))
    for key in sorted(keys ^ listed):
        faults.append(f"docs/configuration.md: {key} " + ("is missing" if key in keys else "is no key of the configuration"))


def main():
    faults = []
    for check in (check_imports, check_configuration, check_words_and_sizes, check_links, check_features):
        check(faults)
    for fault in faults:
        print("    " + fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
