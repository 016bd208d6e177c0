"""A case of end-to-end encryption: the relay's memory holds no frame of an encrypted stream in the clear."""

import re
import struct

import clients
import media
from recorded import composed
from webrtc.encryption import PASSPHRASE, SESSION
from webrtc.room import relay
from webrtc.sdk import SDK, need

MAPPING = re.compile(r"([0-9a-f]+)-([0-9a-f]+) (\S{4}) ")
# A piece of each frame that is searched: behind the bytes that stay in the clear, and within the frame's first packet.
PIECE = slice(40, 64)
FRAMES = 45


def writable_memory(pid):
    """Returns the contents of the resident writable mappings of a process."""
    ranges, found = [], None
    with open(f"/proc/{pid}/smaps") as lines:
        for line in lines:
            match = MAPPING.match(line)
            if match:
                found = (int(match[1], 16), int(match[2], 16)) if match[3].startswith("rw") else None
            elif line.startswith("Rss:") and found and int(line.split()[1]) > 0:
                ranges.append(found)
    contents = []
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for start, end in ranges:
            try:
                memory.seek(start)
                contents.append(memory.read(end - start))
            except OSError:  # the mapping has ended since, or the kernel does not let it be read
                pass
    return contents


def sent_frames(bench, folder, secret):
    """Returns the encoded video frames of the recorded session in the clear, which `millrace compose` passes through."""
    directory = next(folder.glob("*/index.json")).parent
    session, video = folder / "session.mkv", folder / "video.ivf"
    status, _, errors = composed(bench.binary, directory, session, secret)
    if status != 0:
        raise media.MediaError(f"millrace compose: {errors[-300:]}")
    media.run(["ffmpeg", "-v", "error", "-y", "-i", session, "-map", "0:v:0", "-c", "copy", "-f", "ivf", video])
    data, frames, at = video.read_bytes(), [], 32
    while at + 12 <= len(data):
        size = struct.unpack_from("<I", data, at)[0]
        frames.append(data[at + 12:at + 12 + size])
        at += 12 + size
    return frames


def frames_in_memory(bench, name, secret):
    """Publishes through a relay that records; returns how many of its frames were in the relay's memory, and the number of frames searched."""
    kind = "encrypted" if secret else "clear"
    folder = bench.current / kind
    server = relay(bench, extra=["--record", str(folder)], name=kind)
    options = {"secret": secret} if secret else {}
    publisher = bench.keep(SDK(bench, server, "publish", f"{SESSION}-{kind}", width=320, height=180, rate=15, **options))
    clients.wait_until(lambda: publisher.latest("encoded", 0) > 0, 15, "the SDK's stream")
    subscriber = bench.keep(SDK(bench, server, "subscribe", f"{SESSION}-{kind}", **options))
    clients.wait_until(lambda: sum("frame" in line for line in subscriber.lines) >= FRAMES, 20, f"{FRAMES} frames")
    contents = writable_memory(server.pid)
    for running in (subscriber, publisher, server):
        running.stop()
    pieces = {frame[PIECE] for frame in sent_frames(bench, folder, secret) if len(frame) > PIECE.stop}
    found = sum(any(piece in content for content in contents) for piece in pieces)
    bench.reporter.progress(f"{name}: {kind}, {sum(map(len, contents)) >> 20} MB of memory, {found} of {len(pieces)} frames found")
    return found, len(pieces)


def memory(bench, name):
    """Searches the relay's memory for the encoded frames of an encrypted stream, and, as the control, of a stream in the clear."""
    need(bench)
    found, searched = frames_in_memory(bench, name, "")
    bench.reporter.check(name, "the control finds frames that are in the clear", found >= FRAMES // 2, found=found, searched=searched)
    found, searched = frames_in_memory(bench, name, PASSPHRASE)
    bench.reporter.check(name, "no frame of the encrypted stream is in the relay's memory", searched >= FRAMES // 2 and found == 0, found=found,
                         searched=searched)


ALL = [("encryption: memory of the relay", memory)]
LONG = []
