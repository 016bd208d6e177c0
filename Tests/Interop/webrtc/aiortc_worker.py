"""A process of aiortc peers. A line of JSON in: {"id", "function", "options"}; a line out: {"id", "value"} or {"id", "error"}.

The functions have the names and answers of those of the test page (page/*.js), so that cases work with both. With the
argument `libwebrtc` the peers are Chromium's, from the package wrtc, which also offers them under aiortc's interface.
"""

import asyncio
import fractions
import itertools
import json
import re
import sys
import time
import urllib.parse

import aiohttp
import av
import numpy

if "libwebrtc" in sys.argv:
    # This `webrtc` is the installed package: the folder of this file is on the path, not its parent.
    from webrtc.aiortc import MediaStreamTrack, RTCBundlePolicy, RTCConfiguration, RTCPeerConnection, RTCRtpReceiver, RTCSessionDescription
else:
    from aiortc import MediaStreamTrack, RTCBundlePolicy, RTCConfiguration, RTCPeerConnection, RTCRtpReceiver, RTCSessionDescription

import bar
import sound

now = bar.clock


class VideoTrack(MediaStreamTrack):
    kind = "video"

    def __init__(self, width=640, height=360, fps=30, source=1, **_):
        super().__init__()
        self._video = bar.TestVideo(width, height, source)
        self._fps, self.number, self._start = fps, 0, None

    async def recv(self):
        self._start = self._start or time.monotonic()
        late = time.monotonic() - self._start - self.number / self._fps
        if late < 0:
            await asyncio.sleep(-late)
        elif late > 0.2:  # a machine that stalled: continue from here, without a burst
            self._start += late
        frame = av.VideoFrame.from_ndarray(self._video.planes(self.number), format="yuv420p")
        # Stamped by the wall clock, like a camera: after a pause the receiver must not treat all frames as late.
        frame.pts, frame.time_base = int((time.monotonic() - self._start) * 90000) + self.number % 2, fractions.Fraction(1, 90000)
        self.number += 1
        return frame


class ToneTrack(MediaStreamTrack):
    kind = "audio"
    SAMPLES = 960

    def __init__(self, swapped=False):
        super().__init__()
        self._at, self._start, self._swapped = 0, None, swapped

    async def recv(self):
        self._start = self._start or time.monotonic()
        wait = self._start + self._at / 48000 - time.monotonic()
        if wait > 0:
            await asyncio.sleep(wait)
        elif wait < -0.2:
            self._start -= wait
        frame = av.AudioFrame.from_ndarray(sound.stereo(self._at, self.SAMPLES, self._swapped).reshape(1, -1), format="s16", layout="stereo")
        frame.sample_rate, frame.pts, frame.time_base = 48000, self._at, fractions.Fraction(1, 48000)
        self._at += self.SAMPLES
        return frame


class Call:
    def __init__(self, options):
        self.options, self.location, self.etag, self.number = options, None, None, 0
        bundle = RTCBundlePolicy.MAX_BUNDLE if options.get("bundle") else RTCBundlePolicy.BALANCED
        self.pc = RTCPeerConnection(RTCConfiguration(iceServers=[], bundlePolicy=bundle))
        self.times, self.states, self.seen, self.first, self.tasks = {}, [], [], None, []
        self.sides = numpy.zeros((0, 2), numpy.int16)
        self.samples = 0
        self.video = None

        @self.pc.on("connectionstatechange")
        def changed():
            self.states.append([now(), self.pc.connectionState])
            self.times.setdefault(self.pc.connectionState, now())

        @self.pc.on("iceconnectionstatechange")
        def moved():
            if self.pc.iceConnectionState == "completed":
                self.times.setdefault("ice", now())

        @self.pc.on("track")
        def came(track):
            self.tasks.append(asyncio.ensure_future(self.watch(track) if track.kind == "video" else self.listen(track)))

    async def watch(self, track):
        try:
            while True:
                frame = await track.recv()
                luma = frame.to_ndarray(format="yuv420p")[:frame.height]
                found, at = bar.read(luma), now()
                self.first = self.first or at
                number, latency, source = found or (-1, -1, -1)
                self.seen.append([at, number, latency, source, frame.width, frame.height])
        except Exception as error:  # the end of the track
            self.states.append([now(), f"video ended: {type(error).__name__} {error}".strip()])

    async def listen(self, track):
        try:
            while True:
                frame = await track.recv()
                piece = frame.to_ndarray().reshape(-1, len(frame.layout.channels))
                self.samples += len(piece)
                self.sides = numpy.concatenate([self.sides, piece[:, [0, -1]]])[-9600:]
        except Exception as error:  # the end of the track
            self.states.append([now(), f"audio ended: {type(error).__name__} {error}".strip()])

    def headers(self):
        token = self.options.get("token")
        return {"Authorization": f"Bearer {token}"} if token else {}

    async def post(self):
        await self.pc.setLocalDescription(await self.pc.createOffer())
        self.times["posted"] = now()
        async with aiohttp.ClientSession() as http, http.post(
                self.options["url"], data=in_words_of(self.options.get("template"), self.pc.localDescription.sdp).encode(),
                headers={**self.headers(), "Content-Type": "application/sdp"}) as answer:
            text = await answer.text()
            self.times["answered"] = now()
            if answer.status != 201:
                raise RuntimeError(f"POST {self.options['url']}: {answer.status} {text[:300]}")
            self.location = urllib.parse.urljoin(self.options["url"], answer.headers["Location"])
            self.etag = answer.headers.get("ETag")
        self.answer = rewritten(text, self.options.get("rewrite"))
        await self.pc.setRemoteDescription(RTCSessionDescription(self.answer, "answer"))

    async def request(self, method, location, **more):
        async with aiohttp.ClientSession() as http, http.request(method, location, headers=self.headers(), **more) as answer:
            return answer.status, (await answer.text())[:300]


def rewritten(sdp, rewrite):
    """Replaces the candidates by the test's proxy, and removes TCP candidates."""
    if not rewrite:
        return sdp
    lines = []
    for line in sdp.split("\r\n"):
        if line.startswith("a=candidate:"):
            if " udp " not in line.lower():
                continue
            line = re.sub(r"^((?:\S+ ){4})\S+ \d+", lambda m: m[1] + rewrite["to"], line)
        lines.append(line)
    return "\r\n".join(lines)


def prefer(pc, codec):
    """Offers one video codec, with retransmissions."""
    for transceiver in pc.getTransceivers():
        if transceiver.kind == "video":
            wanted = (f"video/{codec}".lower(), "video/rtx")
            transceiver.setCodecPreferences([c for c in RTCRtpReceiver.getCapabilities("video").codecs if c.mimeType.lower() in wanted])


def in_words_of(template, sdp):
    """Returns another client's offer of audio and video on one transport, with the credentials and SSRCs of `sdp`; `sdp` without a template."""
    if not template:
        return sdp
    patterns = {"ice-ufrag": r"\S+", "ice-pwd": r"\S+", "fingerprint": r"sha-256 \S+"}
    own = {name: re.search(rf"^a={name}:{pattern}", sdp, re.MULTILINE)[0] for name, pattern in patterns.items()}
    ssrcs = [re.search(r"^a=ssrc:(\d+)", section, re.MULTILINE)[1] for section in sdp.split("\r\nm=")[1:]]
    lines, section = [], -1
    for line in template.splitlines():
        section += line.startswith("m=")
        name = line.removeprefix("a=").partition(":")[0]
        lines.append(own.get(name) or (re.sub(r"^a=ssrc:\d+", f"a=ssrc:{ssrcs[section]}", line) if section >= 0 else line))
    return "\r\n".join([*lines, ""])


class Api:
    def __init__(self):
        self._calls, self._ids = {}, itertools.count(1)

    async def _open(self, call):
        await call.post()
        number = next(self._ids)
        self._calls[number] = call
        return number

    async def publish(self, **options):
        call = Call(options)
        call.video = VideoTrack(**options)
        if options.get("audio") is not False:
            call.pc.addTrack(ToneTrack(options.get("swapped", False)))
        call.pc.addTrack(call.video)
        if options.get("codec"):
            prefer(call.pc, options["codec"])
        return await self._open(call)

    async def view(self, **options):
        call = Call(options)
        if options.get("audio") is not False:
            call.pc.addTransceiver("audio", direction="recvonly")
        if options.get("video") is not False:
            call.pc.addTransceiver("video", direction="recvonly")
        if options.get("codec"):
            prefer(call.pc, options["codec"])
        return await self._open(call)

    async def offer(self):
        """Returns an offer of a publisher, without a connection."""
        call = Call({})
        call.pc.addTrack(ToneTrack())
        call.pc.addTrack(VideoTrack())
        await call.pc.setLocalDescription(await call.pc.createOffer())
        text = call.pc.localDescription.sdp
        await call.pc.close()
        return text

    async def connected(self, id, milliseconds=10000):
        call, end = self._calls[id], now() + milliseconds
        while call.pc.connectionState != "connected":
            if now() > end:
                raise RuntimeError(f"connected: not within {milliseconds} ms ({call.pc.connectionState})")
            await asyncio.sleep(0.005)
        return call.times

    async def state(self, id):
        call = self._calls[id]
        return {"connection": call.pc.connectionState, "ice": call.pc.iceConnectionState, "times": call.times, "now": now(),
                "states": call.states, "location": call.location, "etag": call.etag, "answer": call.answer}

    async def frames(self, id):
        call = self._calls[id]
        seen, call.seen = call.seen, []
        return seen

    async def first(self, id):
        return self._calls[id].first

    async def heard(self, id):
        call = self._calls[id]
        return sound.heard(call.sides / 32768) if len(call.sides) >= 4800 else None

    async def samples(self, id):
        return self._calls[id].samples

    async def painted(self, id):
        return self._calls[id].video.number

    async def stats(self, id):
        report = await self._calls[id].pc.getStats()
        return [{k: v for k, v in vars(s).items() if isinstance(v, (int, float, str))} for s in report.values()]

    async def layer(self, id, choice):
        call = self._calls[id]
        status, text = await call.request("POST", call.location + "/layer", json=choice)
        return {"status": status, "at": now(), "text": text}

    async def close(self, id):
        call = self._calls.pop(id)
        status, _ = await call.request("DELETE", call.location)
        await call.pc.close()
        return status

    async def drop(self, id):
        await self._calls.pop(id).pc.close()


async def main(api):
    # All media of aiortc shares this loop with the reader of commands.
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=1 << 22)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)

    async def serve(line):
        request = json.loads(line)
        try:
            answer = {"value": await getattr(api, request["function"])(**request["options"])}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        sys.stdout.write(json.dumps({"id": request["id"], **answer}) + "\n")
        sys.stdout.flush()

    tasks = set()
    while line := await reader.readline():
        task = asyncio.ensure_future(serve(line))
        tasks.add(task)
        task.add_done_callback(tasks.discard)


if __name__ == "__main__":
    asyncio.run(main(Api()))
