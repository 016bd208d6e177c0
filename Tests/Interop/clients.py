"""ffmpeg and GStreamer as publishers and receivers of plain SRTP, with the command lines that docs/plain-clients.md explains."""

import base64
import os
import pathlib
import re
import signal
import subprocess

import time

import media

CM_80, CM_32, GCM = "AES_CM_128_HMAC_SHA1_80", "AES_CM_128_HMAC_SHA1_32", "AEAD_AES_128_GCM"
FRAME_LINE = re.compile(r"^[\d:.]+ ([0-9a-f]{32})$")


class Process:
    """A program that was started here, with its output in a file."""

    def __init__(self, name, command, log, environment=None):
        self.name = name
        self.log = pathlib.Path(log)
        self._output = open(log, "wb")
        self.process = subprocess.Popen([str(c) for c in command], stdin=subprocess.DEVNULL, stdout=self._output,
                                        stderr=subprocess.STDOUT, start_new_session=True,
                                        env={**os.environ, **(environment or {})})

    @property
    def running(self):
        return self.process.poll() is None

    def wait(self, timeout):
        """Returns whether the program ended within this time."""
        try:
            self.process.wait(timeout)
            return True
        except subprocess.TimeoutExpired:
            return False

    def stop(self, patience=5):
        """Asks the program to end, and kills it after `patience` seconds."""
        for number, seconds in ((signal.SIGINT, patience), (signal.SIGTERM, 2), (signal.SIGKILL, 5)):
            if not self.running:
                break
            os.kill(self.process.pid, number)
            self.wait(seconds)
        self._output.close()

    def kill(self):
        self.process.kill()
        self.process.wait()
        self._output.close()

    def tail(self, lines=6):
        text = self.log.read_text(errors="replace").replace("\r", "\n")
        return " / ".join(text.strip().splitlines()[-lines:])


class Track:
    """Destination of one track, and its identifiers on the wire."""

    def __init__(self, port, rtcp_port, payload_type, ssrc):
        self.port, self.rtcp_port, self.payload_type, self.ssrc = port, rtcp_port, payload_type, ssrc


class Route:
    """One plain transport from the view of a client: address, key, suite, tracks, session description."""

    def __init__(self, host, suite, key, audio, video, sdp="", rtcp_mux=False):
        self.host, self.suite, self.key, self.audio, self.video = host, suite, key, audio, video
        self.sdp, self.rtcp_mux = sdp, rtcp_mux

    @property
    def hex_key(self):
        return base64.b64decode(self.key).hex()

    @property
    def gst_suite(self):
        """Returns cipher and authentication of RTP, then of RTCP, as GStreamer names them."""
        return {CM_80: ("aes-128-icm", "hmac-sha1-80", "aes-128-icm", "hmac-sha1-80"),
                CM_32: ("aes-128-icm", "hmac-sha1-32", "aes-128-icm", "hmac-sha1-80"),
                GCM: ("aes-128-gcm", "null", "aes-128-gcm", "null")}[self.suite]


def end_on_termination():
    """Makes SIGTERM end this program like an interrupt: all programs that it started are stopped."""
    def stop(number, frame):
        raise KeyboardInterrupt
    signal.signal(signal.SIGTERM, stop)


def hurry():
    """Raises the priority of a real-time process above other work on the machine, if that is allowed."""
    try:
        os.nice(-10)
    except OSError:
        pass


def bound(port):
    """Returns whether a program on this machine uses this UDP port."""
    wanted = f":{port:04X}"
    return any(line.split()[1].endswith(wanted)
               for name in ("/proc/net/udp", "/proc/net/udp6")
               for line in pathlib.Path(name).read_text().splitlines()[1:])


def wait_until(condition, timeout, what):
    end = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > end:
            raise media.MediaError(f"{what}: not within {timeout} s")
        time.sleep(0.05)


# MARK: publishers

# Output options of ffmpeg's RTP for a copied codec. H.264 in Matroska and MP4 has its parameter sets in the header of the file: a subscriber
# needs them in front of each key frame. ffmpeg regards its VP9 payload format as experimental.
RTP_OPTIONS = {"VP8": [], "H264": ["-bsf:v", "h264_mp4toannexb"], "VP9": ["-strict", "experimental"]}


def ffmpeg_output(route, track):
    """Returns ffmpeg's options that send a track by plain SRTP."""
    return ["-f", "rtp", "-payload_type", track.payload_type, "-ssrc", track.ssrc, "-srtp_out_suite", route.suite, "-srtp_out_params", route.key,
            f"srtp://{route.host}:{track.port}?rtcpport={track.rtcp_port}&pkt_size=1200"]


def ffmpeg_publisher(route, source, log, seconds=None, loop=False, codec="VP8"):
    command = ["ffmpeg", "-nostdin", "-v", "error", "-re"]
    if loop:
        command += ["-stream_loop", "-1"]
    command += ["-i", source]
    for kind, track in (("v", route.video), ("a", route.audio)):
        if track is None:
            continue
        if seconds:
            command += ["-t", seconds]
        command += ["-map", f"0:{kind}", "-c", "copy", *(RTP_OPTIONS[codec] if kind == "v" else []), *ffmpeg_output(route, track)]
    return Process("ffmpeg publisher", command, log)


def gst_publisher(route, source, log):
    cipher, auth, rtcp_cipher, rtcp_auth = route.gst_suite
    crypto = [f"key={route.hex_key}", f"rtp-cipher={cipher}", f"rtp-auth={auth}",
              f"rtcp-cipher={rtcp_cipher}", f"rtcp-auth={rtcp_auth}"]

    def chain(number, track, payloader):
        return [*f"d.{'video_0' if number == 0 else 'audio_0'} ! queue !".split(), *payloader,
                *f"! r.send_rtp_sink_{number} r.send_rtp_src_{number} ! e{number}.rtp_sink_0 srtpenc name=e{number}".split(),
                *crypto,
                *f"e{number}.rtp_src_0 ! udpsink host={route.host} port={track.port} buffer-size=1000000".split(),
                *f"r.send_rtcp_src_{number} ! e{number}.rtcp_sink_0".split(),
                *f"e{number}.rtcp_src_0 ! udpsink host={route.host} port={track.rtcp_port} sync=false async=false".split()]

    return Process("GStreamer publisher", [
        "gst-launch-1.0", "-e", "rtpbin", "name=r", "filesrc", f"location={source}", "!", "matroskademux", "name=d",
        *chain(0, route.video, f"rtpvp8pay pt={route.video.payload_type} ssrc={route.video.ssrc} "
                               "picture-id-mode=15-bit mtu=1200".split()),
        *chain(1, route.audio, f"rtpopuspay pt={route.audio.payload_type} ssrc={route.audio.ssrc}".split())], log)


# MARK: receivers

class Receiver:
    """A receiver that decodes, and also keeps the received media."""

    def __init__(self, name, process, recording, audio, checksums):
        self.name, self.process, self.recording, self.audio = name, process, recording, audio
        self._checksums = checksums

    def stop(self):
        self.process.stop(patience=15)

    @property
    def decoded(self):
        """Returns the MD5 of each decoded frame, in order."""
        return self._checksums()


def ffmpeg_receiver(route, folder, name="ffmpeg"):
    folder = pathlib.Path(folder)
    sdp, md5 = folder / f"{name}.sdp", folder / f"{name}.framemd5"
    recording, audio = folder / f"{name}.mkv", folder / f"{name}.wav"
    sdp.write_text(route.sdp)
    process = Process(f"{name} receiver", [
        "ffmpeg", "-nostdin", "-v", "error", "-y", "-protocol_whitelist", "file,udp,rtp,srtp,crypto", "-threads", "1",
        # ffmpeg notices an interrupt only when a packet or this time-out ends its wait; a second interrupt would truncate its files.
        "-listen_timeout", "4", "-buffer_size", "4000000", "-i", sdp,
        "-map", "0:v", "-pix_fmt", "yuv420p", "-fps_mode", "passthrough", "-flush_packets", "1", "-f", "framemd5", md5,
        "-map", "0:a", "-flush_packets", "1", audio,
        # ffmpeg does not recognise key frames in RTP of VP9, and copies only frames from the first key frame on without this option.
        "-map", "0:v", "-map", "0:a", "-c", "copy", "-copyinkf", recording], folder / f"{name}.log")
    wait_until(lambda: bound(route.video.port) and bound(route.audio.port) or not process.running, 15, "ffmpeg's ports")
    return Receiver(name, process, recording, audio,
                    lambda: media.checksums_of_text(md5.read_text()) if md5.exists() else [])


def gst_receiver(route, folder, name="gst"):
    folder = pathlib.Path(folder)
    recording, audio, log = folder / f"{name}.mkv", folder / f"{name}.wav", folder / f"{name}.log"
    cipher, auth, rtcp_cipher, rtcp_auth = route.gst_suite

    def caps(kind, track, encoding, clock, rtcp):
        return (f"caps=application/x-{'srtcp' if rtcp else 'srtp'},media=(string){kind},payload=(int){track.payload_type},"
                f"clock-rate=(int){clock},encoding-name=(string){encoding},ssrc=(uint){track.ssrc},"
                f"srtp-key=(buffer){route.hex_key},srtp-cipher=(string){cipher},srtp-auth=(string){auth},"
                f"srtcp-cipher=(string){rtcp_cipher},srtcp-auth=(string){rtcp_auth}")

    def chain(number, kind, track, encoding, clock):
        parts = ["udpsrc", f"port={track.port}", "buffer-size=4000000", caps(kind, track, encoding, clock, False),
                 *f"! srtpdec name=c{number} ! r.recv_rtp_sink_{number}".split()]
        if route.rtcp_mux:
            parts += f"c{number}.rtcp_src ! r.recv_rtcp_sink_{number}".split()
        else:
            parts += ["udpsrc", f"port={track.rtcp_port}", caps(kind, track, encoding, clock, True),
                      *f"! c{number}.rtcp_sink c{number}.rtcp_src ! r.recv_rtcp_sink_{number}".split()]
        return parts

    process = Process(f"{name} receiver", [
        "gst-launch-1.0", "-e", *"rtpbin name=r latency=200".split(),
        *chain(0, "video", route.video, "VP8", 90000), *chain(1, "audio", route.audio, "OPUS", 48000),
        *"r. ! rtpvp8depay ! tee name=v v. ! queue max-size-bytes=0 max-size-buffers=0 max-size-time=0 ! vp8dec "
         "! checksumsink hash=md5 sync=false v. ! queue ! mux.".split(),
        *"r. ! rtpopusdepay ! tee name=a a. ! queue ! opusdec ! audioconvert "
         "! audio/x-raw,format=S16LE,channels=2 ! wavenc".split(),
        "!", "filesink", f"location={audio}", *"a. ! queue ! mux. matroskamux name=mux".split(),
        "!", "filesink", f"location={recording}"], log)
    wait_until(lambda: bound(route.video.port) and bound(route.audio.port) or not process.running, 15, "GStreamer's ports")

    def decoded():
        return [m[1] for m in map(FRAME_LINE.match, log.read_text(errors="replace").splitlines()) if m]

    return Receiver(name, process, recording, audio, decoded)


PUBLISHERS = {"ffmpeg": ffmpeg_publisher, "gst": gst_publisher}
RECEIVERS = {"ffmpeg": ffmpeg_receiver, "gst": gst_receiver}
