"""Counts constructions that make comments and documents hard to read. tools/check runs it; --list prints each occurrence.

A construction may occur so many times in 1,000 lines of comments and documents as LIMITS says, or its area's entry. Limits only decrease: a change
that lowers a rate lowers its limit too.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Construction: (pattern, limit for each area). A pattern is searched in one line of a comment or document, without its marks.
CONSTRUCTIONS = {
    "sentence that begins with a relative clause": (
        r"(?:^|[.:;] )(?:What|Who|Whoever|Whose|Where|(?:Those|One|He) who)\b(?!.*\?)", {"product": 1, "tests": 1}),
    "fragment that begins with a preposition": (r"^(?:Of|By|As|For|That|One|Such|So) (?!course|example|instance)", {"product": 3, "tests": 3}),
    "somebody, nobody, everybody": (r"(?i)\b(?:some|no|any|every)body\b", {"product": 1, "tests": 0}),
    "where for if": (r"\bwhere (?:it|there|that|they|one|a|the|no|nothing|none)\b", {"product": 1, "tests": 1}),
    "is to": (r"\b(?:is|are|was|were) to\b(?! (?:a|the)\b)", {"product": 1, "tests": 0}),
    "anew, meanwhile, besides": (r"\b(?:anew|meanwhile|besides|at the most|for want of|the like|thereof)\b", {"product": 1, "tests": 1}),
    "pictures for frames, sound for audio": (r"\b(?:pictures?|sounds?)\b", {"product": 1, "tests": 1}),
    "place for index or location, viewer for subscriber": (
        r"\bviewers?\b|(?<!in )(?<!into )(?<!takes )(?<!take )(?<!of-)\bplaces?\b", {"product": 0.2, "tests": 0}),
    "metaphors of this project": (r"\b(?:doors?|floors?|wish(?:es)?|legs?)\b", {"product": 1, "tests": 1}),
}
AREAS = {"product": ["Sources", "docs", "README.md", "CONTRIBUTING.md"], "tests": ["Tests", "tools", "Benchmarks"]}
CODE = (".swift", ".js", ".py", ".c", ".h", ".cpp", ".sh")
SLASHES = re.compile(r"^\s*//[/!]?\s?(.*\S)")
HASHES = re.compile(r"^\s*#(?!!)\s?(.*\S)")


def sentences(paths):
    """(path, line number, text) of each line of a comment or document."""
    listed = subprocess.run(["git", "ls-files", *paths], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in listed.splitlines():
        path = ROOT / name
        if not name.endswith((*CODE, ".md")) or not path.is_file() or name == "tools/wording.py":
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            if name.endswith(".md"):
                if line.strip() and not line.lstrip().startswith(("```", "|--")):
                    yield name, number, line.strip()
            elif (found := (HASHES if name.endswith((".py", ".sh")) else SLASHES).match(line)) and len(found[1]) > 8:
                yield name, number, found[1]


def main(arguments):
    failed = False
    for area, paths in AREAS.items():
        lines = list(sentences(paths))
        for construction, (pattern, limits) in CONSTRUCTIONS.items():
            found = [line for line in lines if re.search(pattern, line[2])]
            rate = 1000 * len(found) / max(len(lines), 1)
            is_over = rate > limits[area]
            failed |= is_over
            if is_over or "--list" in arguments:
                print(f"    {area}: {construction}: {rate:.1f} in 1,000 lines, at most {limits[area]}", file=sys.stderr)
                for name, number, text in found if "--list" in arguments else found[:10]:
                    print(f"        {name}:{number}: {text[:120]}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
