"""Bill of materials of a millrace executable: CycloneDX 1.5, JSON. Used by tools/package.

Usage: sbom.py write EXECUTABLE VERSION OUTPUT | sbom.py check FILE

It lists the Swift packages of dependencies.lock, the Debian packages of the shared libraries that the executable loads, and the Swift
toolchain, whose runtime libraries it loads as well.
"""

import datetime
import hashlib
import json
import pathlib
import platform
import re
import subprocess
import sys
import uuid

import lock

ROOT = pathlib.Path(__file__).resolve().parent.parent
PURL = re.compile(r"pkg:(swift|deb|generic)/[A-Za-z0-9._~%/+-]+@[A-Za-z0-9._~%:+-]+(\?[a-z]+=[A-Za-z0-9._-]+)?")
TYPES = {"application", "framework", "library", "platform"}
SERIAL = re.compile(r"urn:uuid:[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}")


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def libraries(executable):
    """Returns the paths of the shared libraries that the executable loads, including indirect ones."""
    out = run("ldd", str(executable))
    if missing := re.findall(r"(\S+) => not found", out):
        raise SystemExit(f"sbom: {executable} needs {', '.join(missing)}, which this machine lacks")
    return sorted({pathlib.Path(path).resolve() for path in re.findall(r"(/\S+) \(0x", out)})


def owner(path):
    """Returns Debian package, version and architecture of a library; None if no package contains it."""
    # dpkg knows a file by the path of its installation, which may contain a link.
    for name in {str(path), re.sub(r"^/usr/lib/", "/lib/", str(path))}:
        found = subprocess.run(["dpkg-query", "-S", name], capture_output=True, text=True)
        if found.returncode == 0:
            package = found.stdout.splitlines()[0].rsplit(": ", 1)[0].split(",")[0]
            return tuple(run("dpkg-query", "-W", "-f", "${Package} ${Version} ${Architecture}", package).split())
    return None


def component(kind, name, version, purl, **more):
    return {"type": kind, "bom-ref": purl, "name": name, "version": version, "purl": purl, **more}


def swift_packages():
    for name, (version, url) in sorted(lock.locked((ROOT / "dependencies.lock").read_text()).items()):
        path = url.removeprefix("https://")
        yield component("library", name, version, f"pkg:swift/{path}@{version}",
                        externalReferences=[{"type": "vcs", "url": url}])


def bill(executable, version):
    """Returns the bill of materials as a dictionary."""
    toolchain = re.search(r"Swift version ([0-9][0-9.]*)", run("swift", "--version"))[1]
    parts, runtime, unknown = list(swift_packages()), [], []
    debian = {}
    for path in libraries(executable):
        if found := owner(path):
            debian.setdefault(found, []).append(path.name)
        elif "/swift/linux/" in str(path) or (executable.parent / path.name).resolve() == path:
            runtime.append(path.name)
        else:
            unknown.append(str(path))
    if unknown:
        raise SystemExit(f"sbom: no package is known for {', '.join(unknown)}")
    for (name, package_version, architecture), files in sorted(debian.items()):
        parts.append(component(
            "library", name, package_version,
            f"pkg:deb/debian/{name.replace('+', '%2B')}@{package_version.replace('+', '%2B')}?arch={architecture}",
            properties=[{"name": "millrace:file", "value": file} for file in files]))
    parts.append(component(
        "platform", "swift", toolchain, f"pkg:generic/swift@{toolchain}",
        properties=[{"name": "millrace:file", "value": file} for file in sorted(runtime)]))
    data = executable.read_bytes()
    root = component(
        "application", "millrace", version, f"pkg:generic/millrace@{version}",
        licenses=[{"license": {"id": "Apache-2.0"}}],
        hashes=[{"alg": "SHA-256", "content": hashlib.sha256(data).hexdigest()}],
        properties=[{"name": "millrace:architecture", "value": platform.machine()}])
    return {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "serialNumber": f"urn:uuid:{uuid.uuid4()}", "version": 1,
        "metadata": {
            "timestamp": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": root},
        "components": parts,
        "dependencies": [{"ref": root["bom-ref"], "dependsOn": [part["bom-ref"] for part in parts]}]}


def faults(document, locked):
    """Returns the faults of a bill of materials, one per line: wrong structure, locked packages that it does not name."""
    found = []
    for key, wanted in (("bomFormat", "CycloneDX"), ("specVersion", "1.5"), ("version", 1)):
        if document.get(key) != wanted:
            found.append(f"{key} is {document.get(key)!r}, not {wanted!r}")
    if not SERIAL.fullmatch(str(document.get("serialNumber"))):
        found.append("serialNumber is no URN of a UUID")
    root = document.get("metadata", {}).get("component", {})
    parts = document.get("components", [])
    references = set()
    for part in [root, *parts]:
        name = part.get("name") or "a component without a name"
        if part.get("type") not in TYPES:
            found.append(f"{name}: type {part.get('type')!r}")
        if not part.get("version"):
            found.append(f"{name}: no version")
        if not PURL.fullmatch(str(part.get("purl"))):
            found.append(f"{name}: purl {part.get('purl')!r}")
        if not part.get("bom-ref") or part["bom-ref"] in references:
            found.append(f"{name}: bom-ref missing or used twice")
        references.add(part.get("bom-ref"))
    if not any(h.get("alg") == "SHA-256" and re.fullmatch("[0-9a-f]{64}", h.get("content", "")) for h in root.get("hashes", [])):
        found.append("no SHA-256 of the executable")
    versions = {(part.get("name"), part.get("version")) for part in parts}
    for name, (version, _) in locked.items():
        if (name, version) not in versions:
            found.append(f"{name} {version} of dependencies.lock is missing")
    for prefix, what in (("pkg:deb/", "Debian package"), ("pkg:generic/swift@", "Swift toolchain")):
        if not any(str(part.get("purl")).startswith(prefix) for part in parts):
            found.append(f"no {what}")
    for dependency in document.get("dependencies", []):
        for reference in [dependency.get("ref"), *dependency.get("dependsOn", [])]:
            if reference not in references:
                found.append(f"dependency on {reference}, which is no component")
    if not document.get("dependencies"):
        found.append("no dependencies")
    return found


def main(arguments):
    if len(arguments) == 4 and arguments[0] == "write":
        document = bill(pathlib.Path(arguments[1]).resolve(), arguments[2])
        pathlib.Path(arguments[3]).write_text(json.dumps(document, indent=2) + "\n")
        return 0
    if len(arguments) == 2 and arguments[0] == "check":
        document = json.loads(pathlib.Path(arguments[1]).read_text())
        found = faults(document, lock.locked((ROOT / "dependencies.lock").read_text()))
        for fault in found:
            print(f"{arguments[1]}: {fault}", file=sys.stderr)
        return 1 if found else 0
    print(__doc__.strip(), file=sys.stderr)
    return 0 if arguments in (["-h"], ["--help"]) else 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
