"""Checks of the relay's recordings and stills, and of composed sessions, by ffmpeg and ffprobe."""

import json
import os
import re
import shutil
import subprocess
import tempfile

import media

# Codec: suffix of the file, and the name that ffprobe gives the codec.
FILES = {"VP8": (".webm", "vp8"), "H264": (".mkv", "h264"), "VP9": (".webm", "vp9"), "AV1": (".webm", "av1")}


def recordings(directory, codec):
    """Returns the files of a directory that have video of this codec, and possibly audio."""
    suffix, wanted = FILES[codec]
    return [file for file in sorted(directory.rglob(f"*{suffix}")) if any(stream.get("codec_name") == wanted for stream in media.describe(file))]


def check_recorded(report, case, directory, codec, sent=None, first=None, area=None):
    """Checks the only recording of a codec: other programs decode it without an error, and it has all frames in order.

    `sent`: frames that were sent; None: unknown, because the publisher was stopped, and no number between the first and the last may be missing.
    `first`: number of the first frame, after which every number was sent; without it, an encoder may have left out some, and two frames more or
    less may have been counted. `area`: as in `media.frame_numbers`.
    """
    files = recordings(directory, codec)
    if not report(case, "one recording", len(files) == 1, files=[file.name for file in files]):
        return
    kinds = [stream["codec_name"] for stream in media.describe(files[0])]
    report(case, "the recording has video and audio", sorted(kinds) == sorted([FILES[codec][1], "opus"]), streams=kinds)
    errors = media.decoding_errors(files[0])
    report(case, "ffmpeg decodes the recording without an error", not errors, errors=errors[-300:])
    check_player(report, case, files[0])
    found = media.frame_numbers(files[0], **({"area": area} if area else {}))
    if sent is None:
        first, sent = found[0] if found else 0, max(31, len(found))
    if first is not None:
        report(case, "the recording has every frame", found == list(range(first, first + sent)), frames=len(found), sent=sent)
        return
    steps = [b - a for a, b in zip(found, found[1:])]
    report(case, "the recording has every frame", len(found) > 30 and abs(len(found) - sent) <= 2 and min(steps) > 0, frames=len(found), sent=sent)


def check_player(report, case, file):
    """Plays a file with the player mpv, if it is installed, without showing it."""
    if shutil.which("mpv") is None:
        return
    log = file.with_suffix(".mpv.log")
    done = subprocess.run(["mpv", "--no-config", "--no-terminal", "--vo=null", "--ao=null", "--untimed", f"--log-file={log}", file], timeout=60)
    lines = log.read_text().splitlines()
    problems = [line for line in lines if re.match(r"\[[ 0-9.]+\]\[[ew]\]", line)]
    plays = all(any(f"{output}: [null]" in line for line in lines) for output in ("VO", "AO"))
    report(case, "mpv plays video and audio of the recording", done.returncode == 0 and plays and not problems, status=done.returncode, problems=problems[:3])


def check_still(report, case, relay, session, path, size=None):
    """Checks a still of the stream cam1, which is kept at `path`. `size`: width and height; None if the sender may change them."""
    png, headers = relay.request("GET", f"/v1/sessions/{session}/streams/cam1/canvas.png")
    path.write_bytes(png)
    about = [(one["codec_name"], int(one["width"]), int(one["height"])) for one in media.describe(path)]
    report(case, "a still of the stream", len(about) == 1 and about[0] == ("png", *(size or about[0][1:])) and headers["Content-Type"] == "image/png",
           about=about)


def composed(binary, directory, output, secret=""):
    """Runs `millrace compose` on a session's folder. Returns its exit code, its report and its errors."""
    done = subprocess.run([binary, "compose", directory, "--output", output, "--json"], env={**os.environ, "MILLRACE_SECRET": secret},
                          capture_output=True, text=True, timeout=60)
    return done.returncode, json.loads(done.stdout or "{}"), done.stderr.strip()


def check_session_file(report, case, output, names, codecs, joins, lasts):
    """Checks one file of a session by other programs. Arguments as for `check_composed`; `lasts`: its duration, as the relay states it."""
    text = media.run(["ffprobe", "-v", "error", "-show_entries", "stream=codec_name:stream_tags=title:chapter=start_time:chapter_tags=title:format=duration",
                      "-of", "json", output])
    found = json.loads(text)
    tracks = [(stream["tags"]["title"], stream["codec_name"]) for stream in found["streams"]]
    report(case, "ffprobe finds the named tracks", tracks == list(zip(names, codecs)), tracks=tracks)
    titles = [chapter["tags"]["title"] for chapter in found["chapters"]]
    report(case, "and the chapters", titles == joins, chapters=titles)
    duration = float(found["format"]["duration"])
    report(case, "and the duration", abs(duration - lasts) < 0.01 and duration > 1, duration=duration)
    errors = media.decoding_errors(output)
    report(case, "ffmpeg decodes the composed file without an error", not errors, errors=errors[-300:])
    # Packets before the target belong to the group of frames that decoding needs.
    target = duration * 0.7
    text = media.run(["ffprobe", "-v", "error", "-read_intervals", f"{target}%+#1", "-select_streams", "v:0", "-show_entries", "packet=pts_time,flags",
                      "-of", "csv=p=0", output])
    time, flags = text.split()[0].split(",")[:2]
    report(case, "ffprobe seeks to a key frame in it", target - 5 < float(time) <= target + 0.1 and flags.startswith("K"), target=round(target, 2), time=time)
    if shutil.which("mpv"):
        log = output.with_suffix(".seek.log")
        done = subprocess.run(["mpv", "--no-config", "--no-terminal", "--vo=null", "--ao=null", "--untimed", "--start=70%", "--length=1", f"--log-file={log}", output],
                              timeout=60)
        text = log.read_text()
        report(case, "mpv seeks in it and plays on", done.returncode == 0 and "VO: [null]" in text and "AO: [null]" in text and "[f]" not in text,
               status=done.returncode)
    check_vlc(report, case, output, target)


def check_vlc(report, case, file, start):
    """Seeks to a time of a file with the player VLC, if it is installed, and plays a second, without showing it."""
    if shutil.which("cvlc") is None:
        return
    with tempfile.TemporaryDirectory() as directory:
        # VLC refuses to run as root, and other users cannot read the relay's files.
        copy = shutil.copy(file, directory)
        os.chmod(directory, 0o755)
        os.chmod(copy, 0o644)
        user = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        done = subprocess.run(["cvlc", "--no-interact", "--intf=dummy", "--vout=dummy", "--aout=dummy", f"--start-time={start:.2f}", "--run-time=1", "--play-and-exit",
                               "-vv", copy, "vlc://quit"], env={**os.environ, "HOME": "/nonexistent"}, capture_output=True, text=True, timeout=60, **user)
    steps = ["seek request to", "end of audio preroll", "end of video preroll", "EOF reached"]
    missing = [step for step in steps if step not in done.stderr]
    report(case, "VLC seeks in it and plays on", done.returncode == 0 and not missing, status=done.returncode, missing=missing)


def check_composed(report, case, binary, directory, output, names, codecs, joins):
    """Composes a session and checks the file by other programs: its tracks, chapters, frames and seeking.

    `names`: names of the tracks. `codecs`: their codecs, as ffprobe names them. `joins`: titles of chapters in their order.
    """
    status, said, errors = composed(binary, directory, output)
    if not report(case, "millrace compose makes one file of the session", status == 0 and not errors, status=status, errors=errors[-300:]):
        return
    check_session_file(report, case, output, names, codecs, joins, said["duration"])
    counts = [track["frames"] for track in said["tracks"]]
    drifts = [file.get("driftPPM") for file in said["files"]]
    report(case, "the index has the drift of each publisher", all(drift is not None and abs(drift) < 1000 for drift in drifts), drifts=drifts, frames=counts)


def check_chat(report, case, binary, directory, output, writer, written):
    """Composes a session and checks that ffmpeg, ffprobe and mpv find its chat as subtitles. `written`: time and text of each message."""
    status, said, errors = composed(binary, directory, output)
    report(case, "millrace compose finds the chat", status == 0 and said.get("chat", {}).get("messages") == len(written), status=status, chat=said.get("chat"),
           errors=errors[-300:])
    text = media.run(["ffprobe", "-v", "error", "-select_streams", "s", "-show_entries", "stream=codec_name:stream_tags=title", "-of", "json", output])
    tracks = [(stream["codec_name"], stream["tags"]["title"]) for stream in json.loads(text)["streams"]]
    report(case, "ffprobe finds it as a subtitle track", tracks == [("subrip", "Chat")], tracks=tracks)
    blocks = media.run(["ffmpeg", "-nostdin", "-v", "error", "-i", output, "-map", "0:s:0", "-f", "srt", "-"]).strip().split("\n\n")
    texts = ["\n".join(block.split("\n")[2:]).replace("\u2060", "") for block in blocks]
    wanted = [f"{writer}: " + re.sub(r"\n+", "\n", text) for _, text in written]
    report(case, "ffmpeg reads the messages as they were written", texts == wanted, texts=texts)
    starts = [sum(float(part) * unit for part, unit in zip(re.split("[:,]", block.split("\n")[1].split(" ")[0]), (3600, 60, 1, 0.001))) for block in blocks]
    apart, expected = starts[-1] - starts[0], written[-1][0] - written[0][0]
    report(case, "and as far apart as they were written", abs(apart - expected) < 0.5, seconds=round(apart, 3), written=round(expected, 3))
    if shutil.which("mpv"):
        log = output.with_suffix(".mpv.log")
        subprocess.run(["mpv", "--no-config", "--no-terminal", "--vo=null", "--ao=null", "--untimed", "--sid=1", f"--log-file={log}", output], timeout=60)
        lines = [line for line in log.read_text().splitlines() if "--sid=1" in line and "Chat" in line]
        report(case, "mpv shows it when its user selects it", any("subrip" in line for line in lines), lines=lines[:2])


def check_mixed(report, case, binary, directory, output, joins):
    """Mixes a session and checks the file by other programs: codecs, size, chapters, frames and audio.

    `joins`: titles of chapters in their order.
    """
    done = subprocess.run([binary, "compose", directory, "--mix", "--size", "640x360", "--output", output, "--json"],
                          capture_output=True, text=True, timeout=300)
    if not report(case, "millrace compose --mix makes one file of the session", done.returncode == 0, status=done.returncode, errors=done.stderr[-300:]):
        return
    said = json.loads(done.stdout)
    found = json.loads(media.run(["ffprobe", "-v", "error", "-show_entries",
                                  "stream=codec_name,width,height,channels:chapter_tags=title:format=duration,format_name", "-of", "json", output]))
    tracks = [(stream["codec_name"], stream.get("width"), stream.get("height"), stream.get("channels")) for stream in found["streams"]]
    report(case, "ffprobe finds one video and one audio track in it", tracks == [("vp8", 640, 360, None), ("opus", None, None, 2)], tracks=tracks)
    titles = [chapter["tags"]["title"] for chapter in found["chapters"]]
    report(case, "and the chapters of the mix", titles == joins, chapters=titles)
    duration = float(found["format"]["duration"])
    report(case, "and the duration of the mix", abs(duration - said["duration"]) < 0.05 and duration > 1, duration=duration)
    errors = media.decoding_errors(output)
    report(case, "ffmpeg decodes the mix without an error", not errors, errors=errors[-300:])
    counts, last = media.probe(output)
    report(case, "both tracks of the mix reach its end", all(abs(last.get(kind, 0) - duration) < 0.2 for kind in ("audio", "video")), last=last, **counts)
    audio = output.with_suffix(".wav")
    media.run(["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", output, "-map", "0:a", "-ac", "2", "-ar", "48000", "-c:a", "pcm_s16le", audio])
    left, right, _ = media.tones(audio)
    report(case, "the mix has the audio of the participants", left > 0.8 and right > 0.8, left=round(left, 3), right=round(right, 3))
