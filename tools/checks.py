"""Checks of the sources that need no compiler: import layers, sizes, words, links, proofs and subjects of commits. Used by tools/check."""

import io
import itertools
import pathlib
import re
import subprocess
import sys
import tokenize

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Tests/Interop"))
sys.dont_write_bytecode = True

import blocks  # noqa: E402

LINES_AT_MOST = 400
SUBJECT_AT_MOST = 72
# Newest commit whose subject is too long. Subjects of later ones are checked; the earlier ones stay as they are.
SUBJECTS_SINCE = "2f8d53165d228d1691d34966bce33e6feb541b6b"
# The layers that must stay free of IO, clocks and tasks.
PURE = {"L1", "L2", "L3"}
# Words that indicate IO, time or concurrency; matched in the pure layers only, outside comments.
FORBIDDEN_IN_PURE = re.compile(
    r"\b(clock_gettime|gettimeofday|ContinuousClock|SuspendingClock|Date\(\)|DispatchQueue|pthread_\w+|Mutex<|NSLock"
    r"|recvmsg|sendmsg|recvmmsg|sendmmsg|epoll_\w+|Task\s*\{|Task\.detached|Task\.sleep)")
# Marks of unfinished work and calls that trap; spelled so that this line is not one of them.
FORBIDDEN_EVERYWHERE = re.compile(r"\b(T[O]DO|F[I]XME|X[X]X)\b|\bfatal[E]rror\(|not (?:yet )?[i]mplemented", re.I)
# Words that no identifier and file has, with the names to use instead (docs/glossary.md). `inPlace` is allowed.
UNUSED_IN_NAMES = {"place": "index, slot, offset, position, location, or the verb for what happens", "viewer": "subscriber"}
UNUSED_WORD = re.compile("(?<![A-Za-z])({0})s?(?![a-z])|(?:(?<=[a-z0-9])|(?<![A-Za-z]))(?<![iI]n)({1})s?(?![a-z])".format(
    "|".join(UNUSED_IN_NAMES), "|".join(word.capitalize() for word in UNUSED_IN_NAMES)))
IMPORT = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+"
    r"(?:(?:struct|class|enum|protocol|func|var|let|typealias|actor)\s+)?([A-Za-z_]\w*)")


def tracked(*patterns):
    """Returns the files of the repository, including uncommitted ones, without ignored ones."""
    out = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns],
                         cwd=ROOT, capture_output=True, check=True).stdout
    return [ROOT / name for name in out.decode().split("\0") if name and (ROOT / name).is_file()]


def floors():
    """Returns target -> (layer, rank), and target -> additional modules that it may import; from the table in docs/architecture.md."""
    ranks, extra, free = {}, {}, set()
    for line in (ROOT / "docs/architecture.md").read_text().splitlines():
        row = re.match(r"\|\s*(L\d)\s*\|([^|]*)\|([^|]*)\|", line)
        if not row:
            continue
        for name in row[2].split():
            ranks[name] = (row[1], len(ranks))
        for item in row[3].split():
            if item == "*":
                free.add(row[1])
            else:
                target, module = item.split(":")
                extra.setdefault(target, set()).add(module)
    return ranks, extra, free


def code_only(text):
    """Returns the text with comments and string contents blanked; line numbers stay the same."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match[0])
    return re.sub(r'"""(?:.|\n)*?"""|"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*(?:.|\n)*?\*/', blank, text)


def names_only(text, suffix):
    """Yields (line number, text without comments and contents of strings) of a source; of Python, (line number, identifier)."""
    if suffix == ".py":
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NAME:
                yield token.start[0], token.string
    else:
        yield from enumerate(code_only(text).splitlines(), 1)


def check_names(faults):
    """Checks that no identifier and no file name has a word of UNUSED_IN_NAMES."""
    folders, suffixes = ("Sources", "Tests", "Benchmarks", "tools"), ("swift", "py", "js", "c", "cpp", "h")
    for path in tracked(*(f"{folder}/*.{suffix}" for folder in folders for suffix in suffixes)):
        name = path.relative_to(ROOT)
        found = [(1, path.name)] if UNUSED_WORD.search(path.stem) else []
        found += [(number, code) for number, code in names_only(path.read_text(), path.suffix) if UNUSED_WORD.search(code)]
        for number, code in found:
            word = next(filter(None, UNUSED_WORD.search(code).groups())).lower()
            faults.append(f"{name}:{number}: \"{word}\" in a name; use {UNUSED_IN_NAMES[word]}")


def check_imports(faults):
    ranks, extra, free = floors()
    if len(ranks) < 10:
        faults.append("docs/architecture.md: the table of layers was not found")
        return
    for target in sorted(p.name for p in (ROOT / "Sources").iterdir() if p.is_dir()):
        if target not in ranks:
            faults.append(f"Sources/{target}: not in the table of layers of docs/architecture.md")
    for path in tracked("Sources/*.swift"):
        target = path.relative_to(ROOT).parts[1]
        if target not in ranks:
            continue
        floor, rank = ranks[target]
        code = code_only(path.read_text())
        for number, line in enumerate(code.splitlines(), 1):
            where = f"{path.relative_to(ROOT)}:{number}"
            found = IMPORT.match(line)
            if found:
                module = found[1]
                if module in ranks:
                    if ranks[module][1] >= rank and module != target:
                        faults.append(f"{where}: {target} ({floor}) imports {module} ({ranks[module][0]}), which is a higher layer")
                elif floor not in free and module not in extra.get(target, ()):
                    faults.append(f"{where}: {target} ({floor}) imports {module}, which its layer may not")
            if floor in PURE and not found and (bad := FORBIDDEN_IN_PURE.search(line)):
                faults.append(f"{where}: {bad[0].strip()} in layer {floor}")


def dependencies():
    """Returns target -> (folder, names of its dependencies), from Package.swift."""
    package, targets = (ROOT / "Package.swift").read_text(), {}
    for found in re.finditer(r'\.(executableTarget|target|testTarget)\(\s*name: "([^"]+)",\s*dependencies: \[(.*?)\]((?:\s*\+ \w+\([^)]*\))*)(?=[,)])(?:,\s*path: "([^"]+)")?',
                             package, re.S):
        # `+ nio(…)` adds products.
        kind, target, listed, added, folder = found.groups()
        folder = folder or ("Tests/" if kind == "testTarget" else "Sources/") + target
        names = re.findall(r'\.product\(name: "([^"]+)"', listed) + re.findall(r'"([^"]+)"', re.sub(r"\.product\(.*?\)", "", listed, flags=re.S))
        targets[target] = (folder, set(names + re.findall(r'"([^"]+)"', added)))
    return targets


def check_dependencies(faults):
    """Checks that every target imports each of its dependencies, and that the arrows of the layer diagram are dependencies."""
    targets = dependencies()
    for target, (folder, names) in targets.items():
        imported = {module[1] for file in tracked(f"{folder}/*.swift") for line in file.read_text().splitlines() if (module := IMPORT.match(line))}
        for name in sorted(names - imported):
            faults.append(f"Package.swift: {target} depends on {name}, which none of its files imports")
    diagram = re.search(r"```mermaid\nflowchart TB\n(.*?)```", (ROOT / "docs/architecture.md").read_text(), re.S)
    arrows = re.findall(r"^    (\w+) --> ([\w &]+)$", diagram[1], re.M) if diagram else []
    if len(arrows) < 10:
        faults.append("docs/architecture.md: the diagram of the layers was not found")
    for target, names in arrows:
        for name in names.split(" & "):
            if name not in targets.get(target, ("", set()))[1]:
                faults.append(f"docs/architecture.md: the diagram has {target} --> {name}, which Package.swift does not list")


def check_words_and_sizes(faults):
    own_c = [f"{folder}/*.{suffix}" for folder in ("Sources", "Benchmarks") for suffix in ("c", "cpp", "h")]
    for path in tracked("Sources/*.swift", "Tests/*.swift", "Benchmarks/*.swift", *own_c):
        text = path.read_text()
        name = path.relative_to(ROOT)
        if (lines := text.count("\n")) > LINES_AT_MOST:
            faults.append(f"{name}: {lines} lines, over {LINES_AT_MOST}: split the file")
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


def check_blocks(faults):
    """Marks of code blocks in docs/ are known; programs of tools/ that no test runs because they are slow have the named subcommands.

    The interoperability cases of documents.py run the other shell blocks.
    """
    for path in tracked("docs/*.md"):
        text = path.read_text()
        faults += [f"{path.relative_to(ROOT)}:{line}: {fault}" for line, fault in blocks.faults(text)]
        for block in blocks.blocks(text):
            for program, word in re.findall(r"^(tools/\S+) +(\S+)", block.text, re.M) if block.mark == "slow" else ():
                if not (ROOT / program).exists() or not takes(ROOT / program, word):
                    faults.append(f"{path.relative_to(ROOT)}:{block.line}: no {program} {word}")


# A key of the configuration and the field of RelayConfiguration that it sets.
KEY = re.compile(r"\.(?:text|integer|choice|flag)\(\s*\"([\w.]+)\",\s*\\\.(\w+)")


def titles_of_tests():
    """Returns target -> titles and type names of its tests and suites."""
    literal = r'"((?:\\.|[^"\\])*)"'
    titles = {}
    for file in tracked("Tests/*.swift"):
        text = file.read_text()
        found = titles.setdefault(file.relative_to(ROOT).parts[1], set())
        found |= {re.sub(r"\\(.)", r"\1", title) for title in re.findall(rf"@(?:Test|Suite)\s*\(\s*{literal}", text)}
        found |= set(re.findall(r"\b(?:struct|class|actor|enum)\s+(\w+Tests)\b", text))
    return titles


def cases_of_interop():
    """Returns the names of the cases: the first item of each pair in a list of them, and CASE in programs that have one."""
    names = set()
    for file in tracked("Tests/Interop/*.py"):
        names |= set(re.findall(r'^(?:    \(|CASE = |[A-Z]+ = \[\()"([^"]+)"', file.read_text(), re.M))
    return names


def stands_in(text, title):
    """Returns whether a title contains this text; a text that ends in a number does not match a longer number: CHT-1 is not in CHT-10."""
    return re.search(rf"(?<![A-Za-z0-9-]){re.escape(text)}(?!\d)", title) is not None


def takes(script, word):
    """Returns whether a script of tools/ has this option or subcommand: the usage comment at its head names it. Values are not checked."""
    if not re.match(r"--?[a-z]|[a-z]+$", word):
        return True
    head = "\n".join(itertools.takewhile(lambda line: line.startswith(("#", '"""')) or not line, script.read_text().splitlines()))
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", head) is not None


def check_features(faults):
    """Each row of docs/features.md: | id | what | proof |. Every `quoted` proof must exist.

    A proof is a path, `tools/name ...`, `millrace subcommand ...`, `interop: case`, or `XTests: text`, where the text stands in the
    title of a test or suite of that target, or is the name of a suite's type. An id like CAN-1 stands in a title itself.
    """
    path = ROOT / "docs/features.md"
    tests, interop = titles_of_tests(), cases_of_interop()
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
                if not any(stands_in(found[2], title) for title in tests.get(found[1], ())):
                    faults.append(f"{where}: no test \"{found[2]}\" in Tests/{found[1]}")
            elif found := re.match(r"interop: (.+)", proof):
                if found[1] not in interop:
                    faults.append(f"{where}: no case \"{found[1]}\" in Tests/Interop")
            elif "/" in head and not (ROOT / head).exists():
                faults.append(f"{where}: {head} does not exist")
            elif head.startswith("tools/"):
                faults += [f"{where}: {head} has no {word}" for word in proof.split()[1:] if not takes(ROOT / head, word)]
        if re.fullmatch(r"[A-Z][A-Z0-9]{2}-\d+", cells[0]) and not any(
                stands_in(cells[0], title) for titles in tests.values() for title in titles):
            faults.append(f"{where}: no test title names {cells[0]}")
    if not rows:
        faults.append("docs/features.md: no rows")


def commands():
    """Subcommand of millrace ("session end" where it is one of a group) -> its options, those of its option groups too."""
    sources = {file.stem: (file, file.read_text()) for file in tracked("Sources/millrace/*.swift")}
    declared = r"@(Option|Flag)(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?\s*(?:private\s+)?var (\w+)"

    def options(name, seen):
        names = set()
        if name not in sources or name in seen:
            return names
        seen.add(name)
        text = sources[name][1]
        for _, arguments, variable in re.findall(declared, text):
            custom = re.search(r'\.customLong\("([^"]+)"\)', arguments)
            option = custom[1] if custom else re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", variable).lower()
            names |= {option, f"no-{option}"} if "prefixedNo" in arguments else {option}
        if "SectionOptions<" in text:
            for file in tracked("Sources/RelayServer/Keys/*.swift"):
                for key, _ in KEY.findall(file.read_text()):
                    option = re.sub(r"([A-Z])", r"-\1", key).replace(".", "-").lower()
                    names |= {option, f"no-{option}"}
        for group in re.findall(r"@OptionGroup(?:\([^)]*\))?\s*var \w+: (\w+)", text):
            # A group in a file of another one's name: SessionOptions stands beside RelayOptions.
            for stem, (_, other) in sources.items():
                if re.search(rf"struct {group}\b", other):
                    names |= options(stem, seen)
        return names

    known = {}
    for stem, (file, text) in sources.items():
        if found := re.search(r'commandName:\s*"([\w-]+)"', text):
            group = {"Session": "session ", "User": "user ", "Messages": "messages "}.get(file.parent.name, "")
            name = found[1] if found[1] == group.strip() else group + found[1]
            known[name] = options(stem, set()) | {"help", "version"}
    return known


def check_commands(faults):
    """Subcommands of millrace that documents name exist, and have the options that stand behind them."""
    known = commands()
    for path in tracked("*.md", "docs/*.md", "Sources/*.md"):
        text = path.read_text()
        joined = re.sub(r"\\\n", "  ", text)
        pieces = re.findall(r"(?:^|[\s`/(])millrace ((?:[a-z][\w-]*)[^\n`|&;#]*)", "\n".join(
            re.findall(r"```.*?```", joined, re.S) + re.findall(r"`[^`\n]+`", re.sub(r"```.*?```", "", joined, flags=re.S))), re.M)
        for piece in pieces:
            words = piece.split()
            name = next((n for n in (" ".join(words[:2]), words[0]) if n in known), None)
            if name is None or name in ("session", "user", "messages") and re.fullmatch(r"[a-z-]+", " ".join(words[1:2])):
                faults.append(f"{path.relative_to(ROOT)}: no subcommand millrace {' '.join(words[:2])}")
                continue
            for option in re.findall(r"(?<!\S)--([a-z][\w-]*)", piece):
                if option not in known[name]:
                    faults.append(f"{path.relative_to(ROOT)}: millrace {name} has no option --{option}")


def check_metrics(faults):
    """Every family of /metrics stands in a document; documents, dashboard and alert rules name no other.

    The tables of a cluster's store, and the schema of conversations, have names of the same form.
    """
    families = set()
    for file in tracked("Sources/ControlServer/*.swift"):
        families |= set(re.findall(r'\b(?:single|family)\(\s*"((?:millrace|process)_\w+)"', file.read_text()))
    counters = (ROOT / "Sources/MediaEngine/EngineCounters.swift").read_text()
    families |= {"millrace_" + name for name in re.findall(r'\(\s*"([a-z_]+)",\s*"', counters)}
    named = {}
    for path in tracked("*.md", "docs/*.md"):
        for name in re.findall(r"\b((?:millrace|process)_[a-z_]*[a-z])\b", path.read_text()):
            named.setdefault(name, path.relative_to(ROOT))
    for name in sorted(families - named.keys()):
        faults.append(f"docs/admin.md: the metric {name} is missing")
    for path in tracked("docs/monitoring/*"):
        for name in re.findall(r"\b((?:millrace|process)_[a-z_]*[a-z])\b", path.read_text()):
            # Summaries and histograms have their sums, counts and buckets as metrics of their own.
            named.setdefault(re.sub(r"_seconds_(bucket|sum|count)$", "_seconds", name), path.relative_to(ROOT))
    schema = (ROOT / "Sources/Persistence/Cluster/StoreSchema.swift").read_text()
    tables = set(re.findall(r"CREATE TABLE IF NOT EXISTS (\w+)", schema))
    messages = (ROOT / "Sources/Persistence/Messages/PostgresMessageSchema.swift").read_text()
    tables |= set(re.findall(r'static let name = "(\w+)"', messages))
    for name in sorted(named.keys() - families - tables):
        faults.append(f"{named[name]}: {name} is no metric")


def check_troubleshooting(faults):
    """Log lines and checks of doctor that docs/troubleshooting.md names are in the sources; metrics are checked above."""
    text = (ROOT / "docs/troubleshooting.md").read_text()
    sources = "\n".join(file.read_text() for file in tracked("Sources/*.swift"))
    doctor = "\n".join(file.read_text() for file in tracked("Sources/RelayServer/Doctor/*.swift"))
    lines = [line for found in re.findall(r"log (`[^`]+`(?:, or `[^`]+`)*)", text) for line in re.findall(r"`([^`]+)`", found)]
    if len(lines) < 5:
        faults.append("docs/troubleshooting.md: no log lines were found")
    faults += [f"docs/troubleshooting.md: no source logs \"{line}\"" for line in lines if line not in sources]
    for row in re.findall(r"^\|[^|]*\|[^|]*\|([^|]*)\|[^|]*\|$", text, re.M):
        for name in re.findall(r"`([^`]+)`", row):
            if name != "millrace doctor" and not re.search(rf'"{re.escape(name.removesuffix(" …"))}[" ]', doctor):
                faults.append(f"docs/troubleshooting.md: millrace doctor has no check \"{name}\"")


def check_configuration(faults):
    """Every key of the configuration stands in docs/configuration.md, and no other; every field that a key sets is read.

    A unit test compares the rows of the document with the table word by word.
    """
    keys, fields = set(), set()
    for file in tracked("Sources/RelayServer/Keys/*.swift"):
        for name, field in KEY.findall(file.read_text()):
            keys.add(name)
            fields.add(field)
    if len(keys) < 10:
        faults.append("Sources/RelayServer/Keys: the keys of the configuration were not found")
    listed = set(re.findall(r"^\| `([\w.]+)` \|", (ROOT / "docs/configuration.md").read_text(), re.M))
    for key in sorted(keys ^ listed):
        faults.append(f"docs/configuration.md: {key} " + ("is missing" if key in keys else "is no key of the configuration"))
    # Declarations and assignments are blanked, so that the remaining occurrences are reads.
    written = re.compile(r"\b(?:var|let) \w+\b|\.\w+ =(?!=)")
    sources = {file: written.sub("", code_only(file.read_text())) for file in tracked("Sources/*.swift")}
    outside = {file: text for file, text in sources.items() if file.parent.name != "Keys"}
    read_in_server = set(re.findall(r"\w+", "\n".join(text for file, text in outside.items() if "RelayServer" in file.parts)))
    for field in sorted(fields - read_in_server):
        faults.append(f"Sources/RelayServer: nothing reads RelayConfiguration.{field}")
    read_anywhere = set(re.findall(r"\w+", "\n".join(outside.values())))
    for file in tracked("Sources/RelayServer/RelayConfiguration+*.swift"):
        for field in re.findall(r"^ +\w[\w.]*\.(\w+) = ", file.read_text(), re.M):
            if field not in read_anywhere:
                faults.append(f"{file.relative_to(ROOT)}: nothing reads {field}, which is set here")


def check_subjects(faults, root=ROOT, since=SUBJECTS_SINCE):
    """Subjects of commits after `since`, apart from merges, have at most SUBJECT_AT_MOST characters and no full stop at the end.

    Without git, outside of a repository, and in a shallow clone that lacks `since`, nothing is checked, and standard error says so.
    """
    def git(*arguments):
        return subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, errors="replace")

    try:
        known = git("cat-file", "-e", f"{since}^{{commit}}").returncode == 0
        log = git("log", "--no-merges", "--format=%h %s", f"{since}..HEAD") if known else None
    except OSError:
        log = None
    if log is None or log.returncode != 0:
        print(f"    subjects of commits are not checked: no git, or no history since {since[:8]} here", file=sys.stderr)
        return
    for line in log.stdout.splitlines():
        commit, _, subject = line.partition(" ")
        if len(subject) > SUBJECT_AT_MOST:
            faults.append(f"commit {commit}: a subject of {len(subject)} characters, at most {SUBJECT_AT_MOST}: {subject}")
        if subject.endswith("."):
            faults.append(f"commit {commit}: a full stop at the end of the subject: {subject}")


def main():
    faults = []
    for check in (check_imports, check_dependencies, check_configuration, check_metrics, check_troubleshooting, check_words_and_sizes, check_names, check_links, check_blocks, check_features, check_commands, check_subjects):
        check(faults)
    for fault in faults:
        print("    " + fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
