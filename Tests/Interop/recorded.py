"""Checks of the relay's recordings and stills by ffmpeg and ffprobe."""

import media

# Codec: suffix of the file, and the name that ffprobe gives the codec.
FILES = {"VP8": (".webm", "vp8"), "H264": (".mkv", "h264"), "VP9": (".webm", "vp9"), "AV1": (".webm", "av1")}


def recordings(directory, codec):
    """Returns the files of a directory that have video of this codec, and possibly audio."""
    suffix, wanted = FILES[codec]
    return [file for file in sorted(directory.rglob(f"*{suffix}")) if any(stream.get("codec_name") == wanted for stream in media.describe(file))]


def check_recorded(report, case, directory, codec, sent, first=None, area=None):
    """Checks the only recording of a codec: other programs decode it without an error, and it has all frames in order.

    `sent`: frames that were sent. `first`: number of the first frame, after which every number was sent; without it, an encoder may have left out
    some, and two frames more or less may have been counted. `area`: as in `media.frame_numbers`.
    """
    files = recordings(directory, codec)
    if not report(case, "one recording", len(files) == 1, files=[file.name for file in files]):
        return
    kinds = [stream["codec_name"] for stream in media.describe(files[0])]
    report(case, "the recording has video and audio", sorted(kinds) == sorted([FILES[codec][1], "opus"]), streams=kinds)
    errors = media.decoding_errors(files[0])
    report(case, "ffmpeg decodes the recording without an error", not errors, errors=errors[-300:])
    found = media.frame_numbers(files[0], **({"area": area} if area else {}))
    if first is not None:
        report(case, "the recording has every frame", found == list(range(first, first + sent)), frames=len(found), sent=sent)
        return
    steps = [b - a for a, b in zip(found, found[1:])]
    report(case, "the recording has every frame", len(found) > 30 and abs(len(found) - sent) <= 2 and min(steps) > 0, frames=len(found), sent=sent)


def check_still(report, case, relay, session, path, size=None):
    """Checks a still of the stream cam1, which is kept at `path`. `size`: width and height; None if the sender may change them."""
    png, headers = relay.request("GET", f"/v1/sessions/{session}/streams/cam1/canvas.png")
    path.write_bytes(png)
    about = [(one["codec_name"], int(one["width"]), int(one["height"])) for one in media.describe(path)]
    report(case, "a still of the stream", len(about) == 1 and about[0] == ("png", *(size or about[0][1:])) and headers["Content-Type"] == "image/png",
           about=about)
