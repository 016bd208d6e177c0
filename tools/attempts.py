"""Prints the cases that needed a second attempt in results of the interoperability programs: run, case and the check that failed first, with tabs
between them. Files that do not exist, or that a program did not finish, are left out: the run has failed then.

    python3 tools/attempts.py out/page.json out/webrtc.json
"""

import json
import pathlib
import sys


def cases(results):
    """Returns {case: check that failed first} of cases that failed and were run again."""
    found = {}
    for result in results:
        if result.get("superseded") and not result["passed"]:
            found.setdefault(result["case"], result["check"])
    return found


def main(files):
    for file in map(pathlib.Path, files):
        try:
            results = json.loads(file.read_text())["results"]
        except (FileNotFoundError, ValueError):
            continue
        for case, check in cases(results).items():
            print(file.stem, case, " ".join(check.split())[:150], sep="\t")


if __name__ == "__main__":
    main(sys.argv[1:])
