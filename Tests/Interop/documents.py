"""Runs the commands of docs/, and checks their other code blocks with the programs that read them.

The commands of a document run in order, in one shell, in namespaces of their own. documents/common.sh and documents/NAME.sh make the relays, files and
variables that the text presumes, and check results afterwards.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess

import blocks
import media
from webrtc import upnp_stub

INTEROP = pathlib.Path(__file__).resolve().parent
DOCUMENTS = INTEROP.parents[1] / "docs"
HELPERS = INTEROP / "documents"
# In the .venv of tools/setup; this program may run outside of it.
MERMAID = ".venv/lib/python*/site-packages/mermaid_parser/js/parser.bundle.js"
SECONDS = 80

# (document, pattern, replacement): each matches. `brief`, `background` and `relay`: documents/common.sh.
REPLACED = [
    # A relay for the document with HTTP and another port: a later command starts one at 7880.
    ("admin", r"https://relay\.example MILLRACE", "http://127.0.0.1:7900 MILLRACE"),
    ("admin", r"^ffplay ", "SDL_VIDEODRIVER=dummy SDL_AUDIODRIVER=dummy brief 3 ffplay "),
    ("admin", r"--from 2026-08-01T12:00:00Z --to 2026-08-01T18:00:00Z", "--from 2020-01-01T12:00:00Z --to 2120-01-01T12:00:00Z"),
    ("admin", r"^(grep -o \S+) crash-\S+\.txt", r"crash; \1 crash-*.txt"),
    ("admin", r"^millrace serve --config", "brief 3 millrace serve --config"),
    ("deploy", r"^millrace serve --dev", "brief 3 millrace serve --dev"),
    ("deploy", r"^millrace session drain", "relay 7880; millrace session drain"),
    ("messages", r"^millrace serve (--storage\S+ \S+)$", r"relay 7880 \1"),
    ("page", r"^millrace serve", "brief 3 millrace serve"),
    # The publishers run until the end of the document.
    ("plain-clients", r"^ffmpeg -re -i source", "background ffmpeg -re -i source"),
    ("plain-clients", r"^ffmpeg -rtsp_transport tcp -i rtsp:\S+", "background ffmpeg -re -i camera.ts"),
    ("plain-clients", r"-c copy out\.mkv", "-c copy -t 3 out.mkv"),
    ("plain-clients", r"^gst-launch-1\.0 (rtpbin name=r filesrc)", r"background gst-launch-1.0 \1"),
    ("plain-clients", r"^gst-launch-1\.0 (rtpbin name=r latency)", r"brief 4 gst-launch-1.0 \1"),
    # Frames in files instead of a window.
    ("plain-clients", r"! autovideosink", "! pngenc ! multifilesink location=frame-%03d.png"),
    ("webrtc", r"^(millrace serve .*) &$", r"background \1"),
    ("webrtc", r"^python3 -m http\.server", "background python3 -m http.server"),
    ("webrtc", r"^whip-client", "SIGNAL=TERM brief 5 whip-client"),
    ("webrtc", r"^curl -i -X PATCH", "resource; curl -i -X PATCH"),
    # Shorter and fewer prove the same.
    ("webrtc", r"--subscribers \d+", "--subscribers 3"),
    ("webrtc", r"--participants \d+", "--participants 3"),
    ("webrtc", r"1280x720@30", "320x180@15"),
    ("webrtc", r" --duration 600", ""),
    ("webrtc", r"^(millrace load .*)$", r"\1 --duration 2 | tee -a loads"),
]
# Programs beside those of every case; a document without its programs is skipped.
NEEDED = {
    "admin": ("swift", "llvm-symbolizer", "ffplay", "openssl"),
    "deploy": ("openssl",),
    "messages": ("sqlite3",),
    "plain-clients": ("gst-launch-1.0",),
    "tokens": ("openssl",),
    "troubleshooting": ("openssl",),
    "webrtc": ("whip-client", "gcc"),
}


def script(name, text):
    """Returns the commands of a document that run here, and the patterns that match nothing in them."""
    commands, stale = "\n".join(block.text for block in blocks.blocks(text) if block.language == "sh" and not block.mark), []
    for document, pattern, replacement in REPLACED:
        if document == name:
            commands, count = re.subn(pattern, replacement, commands, flags=re.M)
            stale += [] if count else [pattern]
    return commands, stale


def prepare(bench, folder, document, text, media_files):
    """Makes the folder of a document: home, other blocks, script. Returns the environment."""
    for name in ("bin", "blocks", "home"):
        (folder / name).mkdir(parents=True)
    (folder / "bin/millrace").symlink_to(bench.binary)
    numbers = {}
    for block in blocks.blocks(text):
        numbers[block.language] = numbers.get(block.language, 0) + 1
        if block.language and block.language != "sh":
            (folder / f"blocks/{block.language}-{numbers[block.language]}").write_text(block.text)
    own = HELPERS / f"{document}.sh"
    commands, stale = script(document, text)
    (folder / "commands.sh").write_text("\n".join([(HELPERS / "common.sh").read_text(), own.read_text() if own.exists() else "", commands, "finish\n"]))
    return stale, {**media_files, "HOME": str(folder / "home"), "PATH": f"{folder / 'bin'}:{os.environ['PATH']}:/usr/sbin:/opt/swift/usr/bin",
                   "BLOCKS": str(folder / "blocks"), "INTEROP": str(INTEROP)}


def test_media(folder):
    """Makes a small clip, and a camera's MPEG transport stream without B frames. Returns the variables that name them."""
    clip, camera = folder / "clip.webm", folder / "camera.ts"
    source = ["-f", "lavfi", "-i", "testsrc2=size=320x180:rate=15", "-f", "lavfi", "-i", "sine=frequency=440:sample_rate=48000", "-t", "60",
              "-pix_fmt", "yuv420p"]
    for path, encoder in ((clip, media.ENCODERS["VP8"][0] + " -g 15 -b:v 300k -c:a libopus -ac 2"), (camera, media.ENCODERS["H264"][0] + " -g 15 -an")):
        media.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *source, *("-c:v " + encoder).split(), path])
    return {"CLIP": str(clip), "CAMERA": str(camera)}


def commands_in_order(bench, name):
    prefix = blocks.namespace("--mount")
    if prefix is None:
        bench.reporter.skip(name, "needs network and mount namespaces: the commands name ports and paths of this host")
        return
    folder, report = bench.folder(name), bench.reporter.check
    files, runs, marked = test_media(folder), {}, {}
    path = f"{os.environ['PATH']}:/usr/sbin:/opt/swift/usr/bin"
    if shutil.which("gcc"):
        files["STUB"] = str(upnp_stub.make(folder / "stub"))
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        for file in sorted(DOCUMENTS.glob("*.md")):
            document, text = file.stem, file.read_text()
            shell = [block for block in blocks.blocks(text) if block.language == "sh"]
            for block in shell:
                marked[block.mark or "run"] = marked.get(block.mark or "run", 0) + 1
            if all(block.mark for block in shell):
                continue
            missing = [program for program in NEEDED.get(document, ()) if not shutil.which(program, path=path)]
            if missing:
                bench.reporter.skip(f"{name}: {document}.md", f"needs {', '.join(missing)}")
                continue
            stale, environment = prepare(bench, folder / document, document, text, files)
            report(name, f"{document}.md: each replacement matches", not stale, **({"stale": stale} if stale else {}))
            runs[document] = pool.submit(blocks.run, prefix, (folder / document / "commands.sh",), folder / document / "home", os.devnull,
                                         folder / f"{document}.log", SECONDS, environment)
    for document, run in runs.items():
        outcome = run.result()
        report(name, f"{document}.md: every command succeeds", outcome.status == 0, **outcome.values)
    bench.reporter.progress("shell blocks: " + ", ".join(f"{count} {mark}" for mark, count in sorted(marked.items())))


class Unchecked(Exception):
    """Nothing here reads blocks of this language; the text says why."""


def run(*command, needs=None, **options):
    """Runs a program that reads a block; raises `MediaError` for an error, `Unchecked` if the program is not installed."""
    program = needs or command[0]
    if shutil.which(str(program), path=f"{os.environ['PATH']}:/usr/sbin") is None:
        raise Unchecked(f"{program} is not installed")
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=60, **options)
    if done.returncode != 0:
        raise media.MediaError(f"{program}: {(done.stderr + done.stdout).strip()[-400:]}")
    return done


def check_yaml(bench, file):
    if "scrape_configs" in file.read_text():
        run("promtool", "check", "config", "--syntax-only", file)
    else:
        run(bench.binary, "serve", "--config", file, "--print-config")


def check_json(bench, file):
    json.loads(file.read_text())


def check_python(bench, file):
    run("python3", file)


def check_js(bench, file):
    module = file.with_suffix(".mjs")
    module.write_text(file.read_text())
    run("node", "--check", module)


def check_html(bench, file):
    for script_text in re.findall(r"<script>(.*?)</script>", file.read_text(), re.S):
        module = file.with_suffix(".js")
        module.write_text(script_text)
        run("node", "--check", module)


def check_nginx(bench, file):
    folder = file.parent
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=relay.example",
        "-keyout", folder / "privkey.pem", "-out", folder / "fullchain.pem")
    text = file.read_text().replace("/etc/letsencrypt/live/relay.example", str(folder))
    configuration = folder / "nginx.conf"
    configuration.write_text(f"pid {folder}/nginx.pid;\nerror_log stderr;\nevents {{}}\nhttp {{\naccess_log off;\n"
                             + "".join(f"{use}_temp_path {folder}/{use};\n" for use in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")) + text + "}\n")
    run("nginx", "-t", "-e", "stderr", "-p", folder, "-c", configuration, env={**os.environ, "PATH": f"{os.environ['PATH']}:/usr/sbin"})


def check_nftables(bench, file):
    prefix = blocks.namespace()
    if prefix is None:
        raise Unchecked("no network namespace")
    run(*prefix, "nft", "--check", "--file", file, needs="nft")


def check_ini(bench, file):
    """Checks a unit, or a drop-in for the unit of the package."""
    unit = file.parent / "millrace.service"
    text = (DOCUMENTS.parent / "tools/packaging/millrace.service").read_text()
    settings = file.read_text()
    if "ExecStart=" in settings:
        settings = "[Service]\nExecStart=\n" + settings.partition("[Service]\n")[2]
    unit.write_text(re.sub(r"/\S+/bin/millrace", str(bench.binary), text + settings))
    done = run("systemd-analyze", "verify", "--man=no", unit)
    if unknown := re.findall(r"Unknown .*|Failed to parse .*", done.stderr):
        raise media.MediaError(" / ".join(unknown))


def check_caddyfile(bench, file):
    run("caddy", "adapt", "--adapter", "caddyfile", "--config", file)


def check_mermaid(bench, file):
    """Parses a diagram with Mermaid itself, in node. It is not drawn."""
    bundle = next(INTEROP.parents[1].glob(MERMAID), None)
    if bundle is None:
        raise Unchecked("mermaid-parser-py is not installed")
    run("node", INTEROP / "mermaid.js", bundle, file)


def check_swift(bench, file):
    """Accepts the program that the unit tests compile."""
    if file.read_text() != (INTEROP.parent / "MillraceClientTests/EndToEnd/BrightnessMeter.swift").read_text():
        raise Unchecked("no test compiles it")


def check_by(text):
    def check(bench, file):
        raise Unchecked(text)
    return check


CHECKS = {
    "yaml": check_yaml, "json": check_json, "python": check_python, "js": check_js, "html": check_html, "nginx": check_nginx,
    "nftables": check_nftables, "ini": check_ini, "caddyfile": check_caddyfile, "swift": check_swift,
    "mermaid": check_mermaid,
    "coturn": check_by("the interoperability case of TURN uses it"),
    "": check_by("text"),
}


def other_blocks(bench, name):
    folder, report, unchecked = bench.folder(name), bench.reporter.check, {}
    for file in sorted(DOCUMENTS.glob("*.md")):
        for block in blocks.blocks(file.read_text()):
            if block.language == "sh":
                continue
            where = f"{file.name}:{block.line}"
            path = folder / f"{file.stem}-{block.line}" / f"block.{block.language or 'txt'}"
            path.parent.mkdir()
            path.write_text(block.text)
            try:
                CHECKS[block.language](bench, path)
            except Unchecked as reason:
                unchecked.setdefault(f"{block.language or 'none'} ({reason})", []).append(where)
            except Exception as error:  # of any checker: the block is wrong
                report(name, f"{where}: {block.language}", False, error=f"{type(error).__name__}: {error}")
            else:
                report(name, f"{where}: {block.language}", True)
    for language, sources in sorted(unchecked.items()):
        bench.reporter.progress(f"unchecked: {language}: {', '.join(sources)}")


ALL = [
    ("commands of the documents", commands_in_order),
    ("blocks of the documents", other_blocks),
]
