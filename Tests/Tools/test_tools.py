"""Tests of the programs in tools/, and of the code blocks of documents:
lock file, linking, bill of materials, manual pages, builds, runs of unit tests, selection of cases, set-up, subjects of commits.

Run: python3 -m unittest discover Tests/Tools
"""

import contextlib
import copy
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "Tests/Interop")]
sys.dont_write_bytecode = True

import blocks  # noqa: E402
import checks  # noqa: E402
import documents  # noqa: E402
import hardening  # noqa: E402
import lock  # noqa: E402
import manpages  # noqa: E402
import media  # noqa: E402
import sbom  # noqa: E402


class LockTests(unittest.TestCase):
    resolved = json.dumps({"version": 3, "pins": [
        {"identity": "b", "location": "https://example.org/b.git", "state": {"version": "2.0.1", "revision": "0"}},
        {"identity": "a", "location": "https://example.org/a", "state": {"version": "1.0.0", "revision": "1"}}]})

    def test_what_is_written_is_what_was_chosen(self):
        chosen = lock.resolved(self.resolved)
        text = lock.lock_text(chosen)
        self.assertEqual(lock.locked(text), chosen)
        self.assertEqual(lock.differences(lock.locked(text), chosen), [])
        self.assertIn("\na 1.0.0 https://example.org/a\nb 2.0.1 https://example.org/b\n", text)

    def test_each_difference_is_named(self):
        chosen = lock.resolved(self.resolved)
        locked = {"a": ("1.0.1", "https://example.org/a"), "c": ("1.0.0", "https://example.org/c")}
        lines = lock.differences(locked, chosen)
        self.assertEqual([line.split()[0].rstrip(":") for line in lines], ["a", "b", "c"])
        moved = {**chosen, "a": ("1.0.0", "https://example.net/a")}
        self.assertEqual(len(lock.differences(moved, chosen)), 1)

    def test_a_branch_and_a_damaged_line_are_refused(self):
        branch = self.resolved.replace('"version": "2.0.1"', '"branch": "main"')
        self.assertRaises(lock.Fault, lock.resolved, branch)
        for text in ("a 1.0.0\n", "a 1.0.0 u\na 1.0.0 u\n", "a 1.0.0 u x\n"):
            self.assertRaises(lock.Fault, lock.locked, text)

    def test_the_program_fails_if_a_version_differs(self):
        with tempfile.TemporaryDirectory() as folder:
            resolved, file = pathlib.Path(folder, "Package.resolved"), pathlib.Path(folder, "dependencies.lock")
            resolved.write_text(self.resolved)

            def run(*mode):
                program = [sys.executable, str(ROOT / "tools/lock.py"), str(resolved), str(file), *mode]
                return subprocess.run(program, capture_output=True, text=True)

            self.assertEqual(run("--check").returncode, 1)
            self.assertEqual(run().returncode, 0)
            self.assertEqual(run("--check").returncode, 0)
            file.write_text(file.read_text().replace("2.0.1", "2.0.0"))
            result = run("--check")
            self.assertEqual(result.returncode, 1)
            self.assertIn("b: locked 2.0.0", result.stderr)
            self.assertIn("tools/lock --apply", result.stderr)

    def test_a_package_resolved_names_the_commits_of_the_repository_at_hand(self):
        with tempfile.TemporaryDirectory() as folder:
            def git(*arguments):
                command = ["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@example.org", *arguments]
                return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

            git("init", "-q")
            git("commit", "-q", "--allow-empty", "-m", "one")
            git("tag", "-a", "v1.2.0", "-m", "annotated")
            pins = json.loads(lock.resolved_text({"a": ("1.2.0", folder)}))["pins"]
            self.assertEqual(pins[0]["state"], {"revision": git("rev-parse", "HEAD"), "version": "1.2.0"})
            self.assertRaises(lock.Fault, lock.resolved_text, {"a": ("1.3.0", folder)})


class ShellBench(unittest.TestCase):
    """A folder with other programs than those that the shell programs call."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def program(self, name, text):
        file = self.folder / name
        file.write_text("#!/bin/bash\n" + text)
        file.chmod(0o755)

    def start(self, command, **environment):
        environment = {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}", "NO_COLOR": "1", **environment}
        environment.pop("MILLRACE_RUN", None)
        process = subprocess.Popen(["bash", "-c", command], stderr=subprocess.PIPE, text=True, env=environment, cwd=self.folder)
        self.addCleanup(process.kill)
        self.addCleanup(process.stderr.close)
        return process


class ShellTests(ShellBench):
    """tools/lib.sh and tools/setup."""

    BUILD = f". {ROOT}/tools/lib.sh; step compile; swift_build log -c release; step next"

    def test_a_build_shows_its_progress_while_it_runs(self):
        self.program("swift", "echo '[1/2] Compiling a'\nwhile [ ! -e go ]; do sleep 0.05; done\necho '[2/2] Linking b'\n")
        process = self.start(self.BUILD, MILLRACE_PROGRESS="0")
        lines = [process.stderr.readline().strip() for _ in range(2)]
        # Only now does the build go on: if the line came at its end, the test would hang.
        self.assertEqual(lines, ["[1 0:00] compile", "0:00  [1/2] Compiling a"])
        (self.folder / "go").touch()
        rest = process.stderr.read()
        self.assertIn("[2/2] Linking b", rest)
        self.assertEqual(process.wait(), 0)
        self.assertEqual((self.folder / "log").read_text(), "[1/2] Compiling a\n[2/2] Linking b\n")

    def test_a_failed_build_ends_the_program_with_its_diagnostics(self):
        self.program("swift", "echo '[1/2] Compiling a'\necho '/a.swift:1:1: error: no such type'\nexit 1\n")
        process = self.start(self.BUILD)
        text = process.stderr.read()
        self.assertEqual(process.wait(), 1)
        self.assertIn("/a.swift:1:1: error: no such type", text)
        self.assertIn("the build failed (log)", text)
        self.assertNotIn("next", text)

    def test_each_step_says_how_long_it_took(self):
        self.program("swift", "sleep 1.1\n")
        process = self.start(self.BUILD, MILLRACE_DURATIONS="durations.tsv")
        text = process.stderr.read()
        self.assertEqual(process.wait(), 0)
        self.assertEqual(text.count("    took 0:0"), 2)
        rows = [line.split("\t") for line in (self.folder / "durations.tsv").read_text().splitlines()]
        self.assertEqual([row[2] for row in rows], ["compile", "next"])
        self.assertIn(rows[0][0], ("1", "2"))

    def missing(self, *arguments):
        """Packages that tools/setup would install on a machine without any."""
        self.program("dpkg-query", "exit 1\n")
        process = self.start(" ".join([f"{ROOT}/tools/setup --check", *arguments]))
        text = process.stderr.read()
        self.assertEqual(process.wait(), 1)
        return {line.split()[0] for line in text.splitlines() if line.startswith("    ")}

    def test_set_up_takes_only_what_a_command_needs(self):
        build, demo, interop = self.missing("--for", "build"), self.missing("--for", "demo"), self.missing("--for", "interop")
        self.assertIn("libopus-dev", build)
        self.assertTrue(build < demo and build < interop)
        self.assertLessEqual({"ffmpeg", "gstreamer1.0-tools", "curl"}, demo - build)
        tests_only = {"chromium", "firefox-esr", "janus", "golang-go", "gir1.2-gst-plugins-bad-1.0"}
        self.assertLessEqual(tests_only, interop)
        self.assertFalse(tests_only & demo)
        self.assertFalse({"ffmpeg", "liburing-dev"} & build)
        cluster = self.missing("--for", "cluster")
        self.assertLessEqual({"ffmpeg", "postgresql"}, cluster)
        self.assertFalse({"postgresql", "python3-websockets"} & demo)
        self.assertLessEqual(interop | demo | cluster | {"liburing-dev"}, self.missing())


class UnitTestRunTests(ShellBench):
    """tools/unit-tests.sh, with a test program that does what the name of its filter says."""

    PROGRAM = """
        while [ $# -gt 0 ]; do
            case $1 in
            --xunit-output) results=$2; shift ;;
            --filter) filter=$2; shift ;;
            esac
            shift
        done
        echo "$filter" >>runs
        report() {
            echo "<testsuites><testsuite><testcase classname='M.S' name='one()' time='1.5'>$1</testcase></testsuite></testsuites>" >"$results"
        }
        case $filter in
        passes | '^M'*) report ''; echo "Test run with 1 test passed" ;;
        fails) report '<failure message="1"/>'; echo '✘ Test one() recorded an issue at a.swift:1:1: not so'; exit 1 ;;
        crashes) echo 'Fatal error: Index out of range'; kill -SEGV $$ ;;
        hangs) sleep 30 ;;
        meets) touch met-$$; for i in {1..100}; do [ "$(ls met-* | wc -l)" = 2 ] && break; sleep 0.05; done
            [ "$(ls met-* | wc -l)" = 2 ] || exit 1; report '' ;;
        esac
        """

    def outcome(self, *filters, then=""):
        """What failed for good of runs beside each other, and the filters of all runs in order. `then`: commands after them."""
        self.program("tests", self.PROGRAM)
        names = " ".join(filters)
        process = self.start(
            f". {ROOT}/tools/lib.sh; mkdir out; FAILED=() STUMBLED=() TESTS=./tests UNIT_TESTS_LIMIT=2; . {ROOT}/tools/unit-tests.sh; "
            f"n=0; for f in {names}; do start_unit_tests run-$((n += 1)) --filter $f; done; "
            f"n=0; for f in {names}; do unit_tests_end run-$((n += 1)) || STUMBLED+=(run-$n); done; "
            "[ ${#STUMBLED[@]} = 0 ] || unit_tests_again again ${STUMBLED[@]}; " + then + " printf '%s\\n' ${FAILED[@]+\"${FAILED[@]}\"} >failed")
        self.said = process.stderr.read()
        self.assertEqual(process.wait(), 0)
        return (self.folder / "failed").read_text().strip(), (self.folder / "runs").read_text().split()

    def test_a_test_that_fails_once_is_run_again_and_does_not_count(self):
        failed, runs = self.outcome("passes", "fails")
        self.assertEqual(failed, "")
        self.assertEqual(runs[2:], [r"^M\.S/one\(\)"])

    def test_second_attempts_are_listed_and_more_than_the_limit_are_a_failure(self):
        results = [{"case": "a", "check": "x", "passed": True, "superseded": True}, {"case": "a", "check": "y", "passed": False, "superseded": True},
                   {"case": "a", "check": "z", "passed": False, "superseded": True}, {"case": "b", "check": "x", "passed": False}]
        (self.folder / "page.json").write_text(json.dumps({"results": results}))
        (self.folder / "broken.json").write_text("{")
        for limit, is_failure in ((2, False), (1, True)):
            with self.subTest(limit):
                shutil.rmtree(self.folder / "out", ignore_errors=True)
                failed, _ = self.outcome("passes", "fails", then=f"second_attempts {limit} page.json broken.json missing.json;")
                self.assertEqual(failed, "2 cases needed a second attempt, at most 1 may (--second-attempts)" if is_failure else "")
                self.assertRegex(self.said, r"\n +unit tests +M\.S/one\(\)\n +page +a: y\n")

    def test_without_second_attempts_there_is_no_table(self):
        self.assertEqual(self.outcome("passes", then="second_attempts 0;")[0], "")
        self.assertNotIn("second attempt", self.said)

    def test_runs_are_beside_each_other(self):
        self.assertEqual(self.outcome("meets", "meets")[0], "")

    def test_a_crash_is_reported_although_what_failed_beside_it_passes_again(self):
        failed, runs = self.outcome("crashes", "fails")
        self.assertIn("unit tests (out/run-1.log)", failed)
        self.assertIn("Fatal error: Index out of range", failed)
        self.assertNotIn("run-2", failed)
        self.assertEqual(len(runs), 3)

    def test_a_hang_is_ended_and_reported(self):
        failed, runs = self.outcome("hangs", "passes")
        self.assertIn("unit tests (out/run-1.log)", failed)
        self.assertIn("did not end within 2 s", failed)
        self.assertEqual(len(runs), 2)


class BlockTests(unittest.TestCase):
    text = "A\n\n```sh\nls\n```\n\n```sh elsewhere\nsudo reboot\n```\n\n```json\n{}\n```\n```\ntext\n```\n"

    def test_blocks_have_a_language_a_mark_and_a_line(self):
        self.assertEqual(blocks.blocks(self.text), [("sh", "", "ls\n", 3), ("sh", "elsewhere", "sudo reboot\n", 7), ("json", "", "{}\n", 11),
                                                    ("", "", "text\n", 14)])
        self.assertEqual(blocks.faults(self.text), [])

    def test_unknown_marks_and_marks_of_other_languages_are_refused(self):
        faults = blocks.faults("```sh never\nls\n```\n```json elsewhere\n{}\n```\n```sh slow\nls\n```\n")
        self.assertEqual([line for line, _ in faults], [1, 4])
        self.assertIn('"never"', faults[0][1])


class MermaidTests(unittest.TestCase):
    """`check_mermaid` with the parser of .venv; skipped without it."""

    def parse(self, text):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "block.mermaid"
            file.write_text(text)
            try:
                documents.check_mermaid(None, file)
            except documents.Unchecked as reason:
                self.skipTest(str(reason))

    def test_a_diagram_with_the_forms_of_the_documents_parses(self):
        self.parse('flowchart TB\n    subgraph L0["L0: C"]\n        A; B\n    end\n    A --> B & C\n    C -->|"a, b"| D["x<br/>y"] -.-> A\n')

    def test_each_faulty_diagram_is_refused_with_the_message_of_the_parser(self):
        for text, message in (("flowchart TB\n    A -->\n", "Parse error"), ("flowchart TB\n    A[x (y)] --> B\n", "Parse error"),
                              ("flowchart TB\n    subgraph S\n    A --> B\n", "Parse error"), ("flowchar TB\n    A --> B\n", "No diagram type")):
            with self.subTest(text), self.assertRaisesRegex(media.MediaError, message):
                self.parse(text)


class BenchTests(unittest.TestCase):
    def bench(self, *arguments):
        return subprocess.run([ROOT / "tools/bench", *arguments], capture_output=True, text=True, timeout=60)

    def test_a_given_relay_is_measured_without_a_build(self):
        done = self.bench("start", "--relay", "/nonexistent/millrace")
        self.assertEqual(done.returncode, 2)
        self.assertIn("/nonexistent/millrace cannot be executed", done.stderr)

    def test_benchmarks_of_another_program_take_no_relay(self):
        for name in ("fanout", "recordings", "live"):
            done = self.bench(name, "--relay", "/bin/true")
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"{name} has no --relay", done.stderr)

    def test_every_list_of_benchmarks_has_the_same_names(self):
        script = (ROOT / "tools/bench").read_text()
        names = re.search(r"^# tools/bench (\S+) \[ARGUMENTS\]$", script, re.M)[1].split("|")
        accepted = re.search(r"^case \${1:-} in\n(.+)\) ;;$", script, re.M)[1].split(" | ")
        advised = re.split(r", | or ", re.search(r'"name a benchmark: (.+)" 2$', script, re.M)[1])
        described = re.findall(r"^#   (\w+) ", script, re.M)
        document = (ROOT / "docs/performance.md").read_text()
        self.assertEqual(names, described)
        self.assertEqual(names, accepted)
        self.assertEqual(names, advised)
        self.assertEqual([name for name in names if f"\ntools/bench {name}" not in document], [])

    def test_each_benchmark_is_a_command_of_a_program_or_a_script(self):
        script = (ROOT / "tools/bench").read_text()
        names = re.search(r"^# tools/bench (\S+) \[ARGUMENTS\]$", script, re.M)[1].split("|")
        commands = set()
        for file in (ROOT / "Benchmarks/MillraceBench").glob("*Command.swift"):
            commands |= set(re.findall(r'commandName: "([a-z-]+)"', file.read_text()))
        scripts = {file.stem.removeprefix("bench_") for file in (ROOT / "tools").glob("bench_*.py")}
        self.assertEqual([name for name in names if name not in commands | scripts | {"messages"}], [])


class SelectionTests(unittest.TestCase):
    """The cases and tests that tools/test runs, and those that it leaves to --long."""

    script = (ROOT / "tools/test").read_text()

    def cases(self, program, *arguments):
        done = subprocess.run([sys.executable, ROOT / "Tests/Interop" / program, "--list", *arguments], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()

    @unittest.skipUnless((ROOT / ".venv/bin/python").exists(), "the cases need the Python packages of tools/setup")
    def test_each_case_of_a_usual_run_runs_once_and_slow_ones_are_in_a_part(self):
        done = subprocess.run([ROOT / "tools/test", "--list"], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [line.split("\t") for line in done.stdout.splitlines()]
        usual, slow = (sorted(case for run, case in rows if run.startswith("long ") == is_slow) for is_slow in (False, True))
        self.assertEqual(usual, sorted(case for program in ("run.py", "run_webrtc.py", "run_cluster.py") for case in self.cases(program)))
        wanted = self.cases("run_cluster.py", "--long")
        wanted += [case for case in self.cases("run_webrtc.py", "--long")
                   if case.startswith(("codecs: ", "sdk: ", "encryption: ", "simulcast", "live stream, Firefox", "programme of three speakers",
                                       "recorded session of drifting clocks", "3 % loss both ways", "live push of three encodings"))]
        self.assertEqual(slow, sorted(wanted))

    def test_each_slow_unit_test_exists(self):
        pattern = re.search(r"^CROWDS='(.*)'$", self.script, re.M)[1]
        sources = {}
        for file in (ROOT / "Tests").glob("*Tests/**/*.swift"):
            module = file.relative_to(ROOT / "Tests").parts[0]
            sources[module] = sources.get(module, "") + file.read_text()
        tests = [f"{module}.{suite}/{name}()" for module, text in sources.items() for suite in set(re.findall(r"\b(?:struct|extension) (\w+Tests)\b", text))
                 for name in re.findall(r"\bfunc (\w+)\(", text)]
        found = {test.partition("/")[2].rstrip("()") for test in tests if re.search(pattern, test)}
        self.assertEqual(found, set(re.findall(r"(?<=[/(|])[a-z]\w+", pattern)))

    def test_each_longer_unit_test_is_in_a_part(self):
        pattern = re.search(r"^LONGER='(.*)'$", self.script, re.M)[1]
        longer = set()
        for file in (ROOT / "Tests").glob("*Tests/**/*.swift"):
            text = file.read_text()
            if "LongTests." in text:
                longer |= {f"{file.relative_to(ROOT / 'Tests').parts[0]}.{suite}" for suite in re.findall(r"\bstruct (\w+Tests)\b", text)}
        self.assertEqual({suite for suite in longer if not re.search(pattern, suite + "/")}, {"MillraceClientTests.NetworkCutTests"})
        self.assertEqual(len(longer) - 1, len(re.findall(r"\w+Tests(?=[)|])", pattern)))
        for part, tests in (("cuts", "NetworkCutTests"), ("units", '"$LONGER"')):
            self.assertIn(f'part_{part}() {{ MILLRACE_LONG_TESTS=1 "$ROOT/tools/test" --filter {tests}; }}', self.script)

    def test_each_part_has_a_function_and_a_line_in_the_manual(self):
        parts = re.search(r"^LONG_PARTS=\((.*)\)$", self.script, re.M)[1].split()
        self.assertEqual(parts, re.findall(r"^# {26}([a-z]+) ", self.script, re.M))
        self.assertEqual(set(parts), set(re.findall(r"^    part_([a-z]+)\(\)", self.script, re.M)))


class NameTests(unittest.TestCase):
    """`checks.UNUSED_WORD` in identifiers of sources."""

    def found(self, text, suffix):
        return [number for number, code in checks.names_only(text, suffix) if checks.UNUSED_WORD.search(code)]

    def test_words_are_found_in_identifiers_of_any_form(self):
        text = "let places = 1\nfunc keepPlace() {}\nstruct PlaceTable {}\nvar _viewer = 2\nlet VIEWER_LIMIT = viewers_of()\n"
        self.assertEqual(self.found(text, ".swift"), [1, 2, 3, 4, 5])
        self.assertEqual(self.found("def place(viewer):\n    return two_viewers\n", ".py"), [1, 1, 2])

    def test_other_words_comments_and_strings_are_no_names(self):
        text = "// renames it into place\nlet placement = replace(placeholder)\nlet text = \"in place\"\nlet isInPlace = patchesInPlace\n"
        self.assertEqual(self.found(text, ".swift"), [])
        self.assertEqual(self.found("# the place of a viewer\nmisplaced = 'place'\n", ".py"), [])


class SubjectTests(unittest.TestCase):
    """`check_subjects` in repositories with one commit a subject."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name) / "origin"
        self.root.mkdir()
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments, root=None):
        # Settings of the user, such as signed commits, do not count.
        environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        names = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]
        done = subprocess.run(["git", "-C", str(root or self.root), *names, *arguments], capture_output=True, text=True, check=True, env=environment)
        return done.stdout.strip()

    def commit(self, subject):
        self.git("commit", "-q", "--allow-empty", "-m", subject)
        return self.git("rev-parse", "HEAD")

    def faults(self, since, root=None):
        """The faults, and the text on standard error."""
        faults, said = [], io.StringIO()
        with contextlib.redirect_stderr(said):
            checks.check_subjects(faults, root or self.root, since)
        return faults, said.getvalue()

    def test_only_later_commits_are_checked_and_each_fault_names_its_commit(self):
        since = self.commit("x" * 73)
        self.commit("x" * 72)
        self.assertEqual(self.faults(since), ([], ""))
        long, ended = self.commit("é" * 73), self.commit("Add a thing.")
        faults, said = self.faults(since)
        self.assertEqual(said, "")
        self.assertEqual(len(faults), 2)
        self.assertRegex(faults[0], rf"commit {ended[:7]}.*full stop")
        self.assertRegex(faults[1], rf"commit {long[:7]}.*73 characters")

    def test_merges_are_left_out_and_their_commits_are_not(self):
        since = self.commit("Begin")
        self.git("switch", "-q", "-c", "other")
        self.commit("Add a thing.")
        self.git("switch", "-q", "main")
        self.commit("Add another thing")
        self.git("merge", "-q", "--no-ff", "-m", "Merge " + "x" * 80 + ".", "other")
        faults, _ = self.faults(since)
        self.assertEqual(len(faults), 1)
        self.assertIn("Add a thing.", faults[0])

    def test_a_shallow_clone_without_the_commit_is_skipped_with_a_message(self):
        since = self.commit("Begin")
        self.commit("Add a thing.")
        shallow = self.root.parent / "shallow"
        self.git("clone", "-q", "--depth", "1", f"file://{self.root}", str(shallow))
        faults, said = self.faults(since, shallow)
        self.assertEqual(faults, [])
        self.assertIn("not checked", said)
        deeper = self.root.parent / "deeper"
        self.git("clone", "-q", "--depth", "2", f"file://{self.root}", str(deeper))
        self.assertEqual(len(self.faults(since, deeper)[0]), 1)

    def test_without_a_repository_or_without_git_it_is_skipped_with_a_message(self):
        since = self.commit("Begin")
        self.commit("Add a thing.")
        folder = self.root.parent / "archive"
        folder.mkdir()
        with unittest.mock.patch.dict(os.environ, {"GIT_CEILING_DIRECTORIES": str(self.root.parent)}):
            faults, said = self.faults(since, folder)
        self.assertEqual(faults, [])
        self.assertIn("not checked", said)
        with unittest.mock.patch.dict(os.environ, {"PATH": str(folder)}):
            faults, said = self.faults(since)
        self.assertEqual(faults, [])
        self.assertIn("not checked", said)


class HardeningTests(unittest.TestCase):
    def link(self, *flags):
        """Returns the faults of an empty program that is linked with these flags."""
        with tempfile.TemporaryDirectory() as folder:
            source, program = pathlib.Path(folder, "a.c"), pathlib.Path(folder, "a")
            source.write_text("int main(void) { return 0; }\n")
            subprocess.run(["gcc", *flags, "-o", program, source], check=True, capture_output=True)
            return hardening.faults(program.read_bytes())

    def test_full_relro_passes(self):
        self.assertEqual(self.link("-fPIE", "-pie", "-Wl,-z,relro,-z,now"), [])

    def test_each_fault_is_found(self):
        self.assertEqual(len(self.link("-fPIE", "-pie", "-Wl,-z,relro,-z,lazy")), 1)
        self.assertIn("no RELRO segment", self.link("-fPIE", "-pie", "-Wl,-z,norelro,-z,now"))
        self.assertEqual(self.link("-fno-pie", "-no-pie", "-Wl,-z,relro,-z,now"), ["not a position-independent executable"])
        self.assertEqual(self.link("-fPIE", "-pie", "-Wl,-z,relro,-z,now,-z,execstack"), ["the stack is executable"])
        self.assertEqual(len(hardening.faults(b"#!/bin/sh\n")), 1)


class BillTests(unittest.TestCase):
    def bill(self):
        return sbom.bill(pathlib.Path("/bin/ls").resolve(), "1.2.3")

    def test_a_bill_of_a_real_program_has_no_faults(self):
        document = self.bill()
        self.assertEqual(sbom.faults(document, lock.locked((ROOT / "dependencies.lock").read_text())), [])
        self.assertTrue(any(part["purl"].startswith("pkg:deb/debian/libc6@") for part in document["components"]))

    def test_each_fault_is_found(self):
        locked = lock.locked((ROOT / "dependencies.lock").read_text())
        whole = self.bill()
        breaks = [
            lambda d: d.update(specVersion="1.2"), lambda d: d.update(serialNumber="1"), lambda d: d["components"].pop(0),
            lambda d: d["components"][0].update(version=""), lambda d: d["components"][0].update(purl="swift-nio"),
            lambda d: d["components"][0].update(type="thing"), lambda d: d["components"].append(d["components"][0]),
            lambda d: d.pop("dependencies"), lambda d: d["metadata"]["component"].pop("hashes"),
            lambda d: d["components"].pop()]
        for change in breaks:
            document = copy.deepcopy(whole)
            change(document)
            self.assertTrue(sbom.faults(document, locked))


class ManualPageTests(unittest.TestCase):
    option = {"kind": "option", "names": [{"kind": "short", "name": "n"}, {"kind": "long", "name": "rate-limit"}], "valueName": "count",
              "abstract": ".5 or more", "defaultValue": "7", "isOptional": True, "isRepeating": False, "shouldDisplay": True}
    file = {"kind": "positional", "valueName": "file", "abstract": "a file", "isOptional": False, "isRepeating": True}
    hidden = {**option, "names": [{"kind": "long", "name": "secret-option"}], "shouldDisplay": False}
    command = {"commandName": "relay", "abstract": "A relay.", "subcommands": [
        {"commandName": "help", "abstract": "Help."},
        {"commandName": "run", "abstract": "Runs it.", "discussion": "Text.\n\nExample:\n  relay run \\x", "arguments": [option, file, hidden]}]}

    def test_each_command_has_a_page_with_its_visible_options(self):
        pages = manpages.pages(self.command, "1.2", "2026-01-02")
        self.assertEqual(sorted(pages), ["relay", "relay-run"])
        self.assertIn("relay\\-run\\fR(1)", pages["relay"].replace("\\fB", ""))
        self.assertNotIn("help", pages["relay"])
        page = pages["relay-run"]
        self.assertIn("\\fB\\-n\\fR, \\fB\\-\\-rate\\-limit\\fR \\fIcount\\fR", page)
        self.assertIn("[\\fIoptions\\fR] \\fIfile\\fR ...", page)
        self.assertIn("(default: 7)", page)
        self.assertNotIn("secret", page)

    def test_no_text_becomes_a_request_of_roff(self):
        page = manpages.pages(self.command, "1.2", "2026-01-02")["relay-run"]
        self.assertIn("\n\\&.5 or more", page)
        self.assertIn("relay run \\ex", page)
        for line in page.splitlines():
            if line.startswith("."):
                self.assertRegex(line, r"^\.(TH|SH|B|BR|TP|PP|RS|RE|nf|fi)\b")


if __name__ == "__main__":
    unittest.main()
