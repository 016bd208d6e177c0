"""The lock file of dependency versions: written from, compared with, and turned into SwiftPM's Package.resolved. Used by tools/lock."""

import json
import pathlib
import subprocess
import sys

HEAD = """\
# Versions of all packages that the build takes: identity, version, URL. Written by tools/lock; tools/test compares them with what
# SwiftPM chose. CONTRIBUTING.md says how to change a version.
"""


class Fault(Exception):
    """A file is invalid; the text names the file and the reason."""


def resolved(text):
    """Returns identity -> (version, URL) from the text of a Package.resolved, format 2 or 3."""
    packages = {}
    for pin in json.loads(text)["pins"]:
        version = pin["state"].get("version")
        if not version:
            raise Fault(f"Package.resolved: {pin['identity']} has no version, but a branch or a commit")
        packages[pin["identity"]] = (version, pin["location"].removesuffix(".git"))
    return packages


def locked(text):
    """Returns identity -> (version, URL) from the text of a lock file."""
    packages = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        words = line.split()
        if len(words) != 3 or words[0] in packages:
            raise Fault(f"dependencies.lock:{number}: expected identity, version and URL, each package once")
        packages[words[0]] = (words[1], words[2])
    return packages


def lock_text(packages):
    """Returns the text of the lock file."""
    return HEAD + "".join(f"{name} {version} {url}\n" for name, (version, url) in sorted(packages.items()))


def differences(lock, chosen):
    """Returns a line for each package that differs between the two."""
    lines = []
    for name in sorted(lock.keys() | chosen.keys()):
        if name not in lock:
            lines.append(f"{name} {chosen[name][0]} is not in the lock file")
        elif name not in chosen:
            lines.append(f"{name} {lock[name][0]} is in the lock file, but the build does not take it")
        elif lock[name] != chosen[name]:
            lines.append(f"{name}: locked {' '.join(lock[name])}, chosen {' '.join(chosen[name])}")
    return lines


def revision(url, version):
    """Returns the commit of a version's tag in the repository at `url`; the tag may begin with a v."""
    for tag in (version, "v" + version):
        names = [f"refs/tags/{tag}", f"refs/tags/{tag}^{{}}"]
        out = subprocess.run(["git", "ls-remote", url, *names], capture_output=True, text=True, check=True).stdout
        # The line of an annotated tag is followed by that of its commit.
        if commits := [line.split()[0] for line in out.splitlines()]:
            return commits[-1]
    raise Fault(f"{url} has no tag {version}")


def resolved_text(lock):
    """Returns the text of a Package.resolved with the versions of the lock file."""
    pins = [{"identity": name, "kind": "remoteSourceControl", "location": url,
             "state": {"revision": revision(url, version), "version": version}}
            for name, (version, url) in sorted(lock.items())]
    return json.dumps({"pins": pins, "version": 3}, indent=2) + "\n"


def main(resolved_path, lock_path, mode=""):
    resolved_path, lock_path = pathlib.Path(resolved_path), pathlib.Path(lock_path)
    if mode == "--apply":
        resolved_path.write_text(resolved_text(locked(lock_path.read_text())))
        return 0
    chosen = resolved(resolved_path.read_text())
    if mode != "--check":
        lock_path.write_text(lock_text(chosen))
        return 0
    lines = differences(locked(lock_path.read_text()) if lock_path.exists() else {}, chosen)
    if not lines:
        return 0
    print("packages are not of the locked versions:", *("    " + line for line in lines), sep="\n", file=sys.stderr)
    print("tools/lock --apply takes the locked versions; after a wanted change, tools/lock writes the file again", file=sys.stderr)
    return 1


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except (Fault, OSError, KeyError, ValueError, subprocess.CalledProcessError) as error:
        print(f"lock: {error}", file=sys.stderr)
        sys.exit(1)
