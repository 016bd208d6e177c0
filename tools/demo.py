"""Implements tools/demo, without the build."""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Tests/Interop"))

import clients  # noqa: E402
import media  # noqa: E402
from relay import Relay  # noqa: E402


class Demo:
    def __init__(self, arguments):
        self.arguments = arguments
        self.binary = pathlib.Path(arguments.relay).resolve()
        self.out = pathlib.Path(arguments.out).resolve()
        self.started = time.monotonic()
        self.rows = []
        self.faults = []

    def say(self, text):
        print(f"    {time.monotonic() - self.started:5.1f} s  {text}", flush=True)

    def row(self, what, value, fault=None):
        self.rows.append((what, value, fault))
        if fault:
            self.faults.append(f"{what}: {fault}")

    # MARK: the run

    def run(self):
        for name in ("recordings", "receivers", "frames"):
            shutil.rmtree(self.out / name, ignore_errors=True)
            (self.out / name).mkdir(parents=True)
        seconds = self.arguments.duration
        self.say(f"source: {seconds} s of 720p30 (VP8, 2 Mb/s) and a stereo tone (Opus), encoded once")
        source = media.Source(self.out, seconds)

        # The synthetic subscribers share one address, whose default limit is 2,048 transports. The limit here leaves some for other receivers.
        relay = Relay(self.binary, self.out, record=self.out / "recordings",
                      extra=["--limit-transports-per-address", max(2048, self.arguments.subscribers + 64)])
        self.say(f"relay: process {relay.pid}, {relay.url}, media on UDP {relay.media_port}, records")
        running, routes, load = [], [], None
        try:
            way_in = relay.open("publish", "demo", stream="cam1")
            for kind in ("ffmpeg", "gst"):
                route = relay.open("subscribe", "demo", stream="cam1")
                routes.append(route)
                running.append(clients.RECEIVERS[kind](route, self.out / "receivers", kind))
            self.say("receivers: ffmpeg and GStreamer wait, each decodes what it gets")
            before, began = relay.metrics(), time.monotonic()
            publisher = clients.ffmpeg_publisher(way_in, source.path, self.out / "publisher.log")
            running.append(publisher)
            self.say("ffmpeg publishes over SRTP (AES_CM_128_HMAC_SHA1_80)")
            if self.arguments.subscribers:
                load = self.start_load(relay, max(5, seconds - 10))
                running.append(load)
                self.say(f"load: {self.arguments.subscribers} synthetic subscribers of a 720p30 stream with audio join")
            time.sleep(min(4, seconds / 4))
            self.take_still(relay)
            self.watch(relay, publisher, seconds)
            publisher.wait(seconds + 15)
            time.sleep(2)
            if load:
                load.wait(60)
            after, took = relay.metrics(), time.monotonic() - began
            self.say("publisher is done; receivers write what is left")
            for route in routes:
                relay.close(route)
            for receiver in running[:2]:
                receiver.stop()
            relay.close(way_in)
            time.sleep(0.5)
        finally:
            for item in running:
                item.stop()
            relay.stop()
        self.say("all programs that were started have ended")
        self.judge(source, running[:2], load, before, after, took)
        return self.table()

    def start_load(self, relay, seconds):
        self.load_report = self.out / "load.json"
        return clients.Process("load", [
            self.binary, "load", "--url", relay.url, "--sessions", 1, "--publishers", 1,
            "--subscribers", self.arguments.subscribers, "--video", "1280x720@30", "--audio", "--duration", seconds,
            "--json"], self.load_report)

    def take_still(self, relay):
        try:
            png, _ = relay.request("GET", "/v1/sessions/demo/streams/cam1/canvas.png")
        except Exception as error:  # the demo continues and shows the error in its table
            self.row("tap: still", "none", str(error))
            return
        still = self.out / "still.png"
        still.write_bytes(png)
        about = media.describe(still)[0]
        number = media.frame_numbers(still)
        self.say(f"tap: still.png, {about['width']}x{about['height']}, shows frame {number[0]}")
        self.row("tap: still", f"{about['width']}x{about['height']} PNG, frame {number[0]}")

    def watch(self, relay, publisher, seconds):
        """Prints a line every five seconds while the publisher runs."""
        last, at = relay.metrics(), time.monotonic()
        end = at + seconds + 15
        while publisher.running and time.monotonic() < end:
            publisher.wait(5)
            now, then = relay.metrics(), time.monotonic()
            packets = now["millrace_packets_forwarded_total"] - last["millrace_packets_forwarded_total"]
            cpu = now["process_cpu_seconds_total"] - last["process_cpu_seconds_total"]
            self.say(f"forwarding {packets / (then - at):8.0f} packets/s, relay at {100 * cpu / (then - at):3.0f} % of a core")
            last, at = now, then

    # MARK: results

    def judge(self, source, receivers, load, before, after, took):
        self.say("comparing what was received and recorded with what was sent")
        sent_db = source.psnr()
        self.row("sent: frames, PSNR against the raw frames", f"{len(source.frames)}, {sent_db:.2f} dB")
        for receiver in receivers:
            if not receiver.recording.exists():
                self.row(f"{receiver.name}: received", "nothing", receiver.process.tail())
                continue
            decoded = receiver.decoded
            missing = len(source.frames) - sum(a == b for a, b in zip(source.frames, decoded))
            decibels = source.psnr(receiver.recording)
            audio = media.packet_checksums(receiver.recording, "a")
            left, right, _ = media.tones(receiver.audio)
            self.row(f"{receiver.name}: frames decoded, identical to the sent", f"{len(decoded)}, "
                     f"{len(source.frames) - missing}", f"{missing} differ or miss" if missing else None)
            self.row(f"{receiver.name}: PSNR against the raw frames", f"{decibels:.2f} dB",
                     None if abs(decibels - sent_db) < 0.005 else "not that of the sent stream")
            lost = len(source.audio_packets) - len(audio)
            self.row(f"{receiver.name}: audio packets, lost", f"{len(audio)}, {lost}", "lost audio" if lost else None)
            self.row(f"{receiver.name}: 440 Hz left, 660 Hz right", f"{100 * left:.1f} %, {100 * right:.1f} % of the power",
                     None if left > 0.95 and right > 0.95 else "wrong tone")
        self.judge_recording(source)
        if load:
            self.judge_load(load)
        packets = after["millrace_packets_forwarded_total"] - before["millrace_packets_forwarded_total"]
        cpu = after["process_cpu_seconds_total"] - before["process_cpu_seconds_total"]
        self.row("relay: packets forwarded", f"{packets:,.0f} in {took:.0f} s")
        self.row("relay: CPU a forwarded packet, recording and tap included", f"{1e9 * cpu / max(packets, 1):,.0f} ns")
        delay = [after.get(f'millrace_forward_delay_seconds{{quantile="{q}"}}') for q in ("0.5", "0.99")]
        if None not in delay:
            self.row("relay: packets stayed, p50 / p99", f"{1e3 * delay[0]:.2f} / {1e3 * delay[1]:.2f} ms")
        self.row("relay: resident memory", f"{after['process_resident_memory_bytes'] / (1 << 20):.0f} MiB")

    def judge_recording(self, source):
        found = sorted(f for f in (self.out / "recordings").rglob("*.webm")
                       if media.probe(f)[0].get("video", 0) and "cam1" in str(f))
        if not found:
            self.row("recording", "none", "no recording of the stream")
            return
        file = found[0]
        frames = media.packet_checksums(file, "v")
        self.row("recording: frames, identical to the sent", f"{len(frames)}, "
                 f"{sum(a == b for a, b in zip(source.encoded_frames, frames))}",
                 None if frames == source.encoded_frames else "not what was sent")
        began = time.monotonic()
        done = subprocess.run([self.binary, "decode", "--verify", "--frames", self.out / "frames", "--every", "300", file],
                              capture_output=True, text=True, timeout=300)
        took = time.monotonic() - began
        (self.out / "decode.log").write_text(done.stdout + done.stderr)
        images = len(list((self.out / "frames").glob("*.png")))
        self.row("recording: millrace decode --verify", f"{'sound' if done.returncode == 0 else 'damaged'}, {took:.1f} s, "
                 f"{images} PNG", None if done.returncode == 0 else (done.stderr or done.stdout).strip()[-200:])

    def judge_load(self, load):
        text = self.load_report.read_text(errors="replace")
        try:
            report = json.loads(text[text.index("{"):text.rindex("}") + 1])
        except ValueError:
            self.row("load", "no report", load.tail())
            return
        received, video, relay = report["received"], report.get("video"), report.get("relay")
        self.row("load: subscribers, packets, lost", f"{self.arguments.subscribers}, {received['packets']:,}, "
                 f"{received['lost']}", f"{received['lost']} lost" if received["lost"] else None)
        if report.get("joinTime"):
            self.row("load: join time p50 / p99", "{p50:.0f} / {p99:.0f} ms".format(**report["joinTime"]))
        if report.get("firstFrame"):
            self.row("load: time to first frame p50 / p99", "{p50:.0f} / {p99:.0f} ms".format(**report["firstFrame"]))
        if video and video.get("latency"):
            self.row("load: camera to decoded frame p50 / p99 / max",
                     "{p50:.0f} / {p99:.0f} / {max:.0f} ms".format(**video["latency"]))
        if video and video.get("psnr"):
            self.row("load: PSNR of the decoded sample", "{mean:.1f} dB".format(**video["psnr"]))
        if relay and relay.get("cpuNanosecondsPerPacket"):
            self.row("load: relay CPU a forwarded packet", f"{relay['cpuNanosecondsPerPacket']:,.0f} ns")
        for warning in report["generator"]["warnings"]:
            self.row("load: note", warning)
        for failure in report["failures"]:
            self.row("load", "failed", failure)

    def table(self):
        width = max(len(what) for what, _, _ in self.rows)
        print()
        for what, value, fault in self.rows:
            print(f"    {what:<{width}}  {value}" + (f"   <- {fault}" if fault else ""))
        print(f"\n    artefacts in {self.out}")
        (self.out / "table.json").write_text(json.dumps(
            [{"what": w, "value": v, "fault": f} for w, v, f in self.rows], indent=1) + "\n")
        for fault in self.faults:
            print(f"    wrong: {fault}", file=sys.stderr)
        return 1 if self.faults else 0


def main():
    parser = argparse.ArgumentParser(prog="tools/demo")
    parser.add_argument("--relay", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--duration", type=int, default=30, metavar="SECONDS")
    parser.add_argument("--subscribers", type=int, default=100, metavar="N")
    parser.add_argument("--out", default=str(ROOT / "out/demo"), metavar="DIR")
    arguments = parser.parse_args()
    if not 5 <= arguments.duration <= 600 or not 0 <= arguments.subscribers <= 10_000:
        parser.error("--duration is 5 to 600, --subscribers 0 to 10000")
    clients.end_on_termination()
    return Demo(arguments).run()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
