"""Checks of the relay's recordings by ffmpeg and ffprobe."""

import media

# Codec: suffix of the file, and the name that ffprobe gives the codec.
FILES = {"VP8": (".webm", "vp8"), "H264": (".mkv", "h264"), "VP9": (".webm", "vp9"), "AV1": (".webm", "av1")}


def recordings(directory, codec):
    """Returns the files of a directory that have video of this codec, and possibly audio."""
    suffix, wanted = FILES[codec]
    return [file for file in sorted(directory.rglob(f"*{suffix}")) if any(stream.get("codec_name") == wanted for stream in media.describe(file))]


def check_recorded(report, case, directory, codec, numbers=None, area=None, missing=0):
    """Checks the only recording of a codec: other programs decode it without an error, and it has all frames.

    `numbers`: those of all frames; without them, consecutive ones, of which `missing` at most were not sent. `area`: as in `media.frame_numbers`.
    """
    files = recordings(directory, codec)
    if not report(case, "one recording", len(files) == 1, files=[file.name for file in files]):
        return
    kinds = [stream["codec_name"] for stream in media.describe(files[0])]
    report(case, "the recording has video and audio", sorted(kinds) == sorted([FILES[codec][1], "opus"]), streams=kinds)
    errors = media.decoding_errors(files[0])
    report(case, "ffmpeg decodes the recording without an error", not errors, errors=errors[-300:])
    found = media.frame_numbers(files[0], **({"area": area} if area else {}))
    if numbers is not None:
        report(case, "the recording has every frame", found == list(numbers), frames=len(found), sent=len(numbers))
        return
    steps = [b - a for a, b in zip(found, found[1:])]
    gaps = sum(step - 1 for step in steps)
    report(case, "the recording has every frame", len(found) > 30 and min(steps) > 0 and gaps <= missing, frames=len(found), missing=gaps, not_sent=missing)
