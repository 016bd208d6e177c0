"""Debian's GStreamer client whip-client (simple-whip-client), and a file that it and ffmpeg publish."""

import pathlib
import shutil
import subprocess

import clients
import media
from webrtc import bar, sound, upnp_stub


def found():
    return shutil.which("whip-client") and shutil.which("gcc")


class File:
    """The moving test video with the bar (no time stamps: it is encoded before) and the two tones, in WebM or Matroska."""

    def __init__(self, folder, source, seconds=30, width=640, height=360, rate=30, bitrate="1200k", codec="VP8"):
        folder, (options, suffix) = pathlib.Path(folder), media.ENCODERS[codec]
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"bar-{codec}-{source}-{seconds}s-{width}x{height}.{suffix}"
        if self.path.exists():
            return
        tone, part = folder / "tone.raw", self.path.with_suffix(".part")
        tone.write_bytes(sound.stereo(0, 48000 * seconds).tobytes())
        encoder = subprocess.Popen(
            ["ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", f"{width}x{height}",
             "-r", str(rate), "-i", "/dev/stdin", "-f", "s16le", "-ar", "48000", "-ac", "2", "-i", tone,
             "-c:v", *options.split(), "-g", str(min(30, 2 * rate)), "-b:v", bitrate,
             "-c:a", "libopus", "-b:a", "96k", "-frame_duration", "20", "-f", "webm" if suffix == "webm" else "matroska", part], stdin=subprocess.PIPE)
        video = bar.TestVideo(width, height, source)
        for number in range(rate * seconds):
            encoder.stdin.write(video.planes(number, milliseconds=0).tobytes())
        encoder.stdin.close()
        if encoder.wait(60) != 0:
            raise media.MediaError("ffmpeg did not encode the test video")
        part.rename(self.path)


# GStreamer's encoder and payloader by codec. VP8 is sent as it is in the file.
PAYLOADS = {
    "VP8": "rtpvp8pay pt=96 picture-id-mode=15-bit mtu=1200 ssrc=2",
    "H264": "vp8dec ! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=30 bitrate=800 threads=1 "
            "! video/x-h264,profile=constrained-baseline ! rtph264pay pt=96 config-interval=-1 mtu=1200 ssrc=2",
    "VP9": "vp8dec ! vp9enc deadline=1 cpu-used=8 lag-in-frames=0 keyframe-max-dist=30 target-bitrate=800000 threads=1 "
           "! rtpvp9pay pt=96 picture-id-mode=15-bit mtu=1200 ssrc=2",
}


def publish(url, file, folder, name="whip-client", codec="VP8"):
    """Publishes a file in VP8; in another `codec` its video is decoded and encoded again."""
    demultiplex = f"filesrc location={file.path} ! matroskademux"
    video = (f"{demultiplex} ! video/x-vp8 ! queue ! identity sync=true ! {PAYLOADS[codec]} "
             f"! application/x-rtp,media=video,encoding-name={codec},payload=96")
    audio = (f"{demultiplex} ! audio/x-opus ! queue ! identity sync=true ! rtpopuspay pt=100 ssrc=1 "
             "! application/x-rtp,media=audio,encoding-name=OPUS,payload=100")
    return clients.Process("whip-client", ["whip-client", "-u", url, "-V", video, "-A", audio, "-l", "7", "-o"],
                           folder / f"{name}.log", {"LD_LIBRARY_PATH": str(upnp_stub.make(folder.parent / "stub"))})
