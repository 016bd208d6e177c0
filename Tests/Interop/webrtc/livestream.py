"""`live.webm` in a `<video>` element of a page of the relay."""

import time

import clients
from webrtc import whip_client
from webrtc.bench import WebRTCRelay
from webrtc.pairs import OWN, from_ffmpeg

PLAY = """(() => {
    const video = document.createElement("video");
    Object.assign(video, {id: "live", muted: true, autoplay: true, src: "/v1/sessions/file/streams/cam1/live.webm"});
    document.body.append(video);
    return true;
})()"""
STATE = """(() => {
    const video = document.getElementById("live");
    return {time: video.currentTime, frames: video.getVideoPlaybackQuality().totalVideoFrames, width: video.videoWidth, height: video.videoHeight,
            error: video.error ? video.error.message : ""};
})()"""


def played(kind):
    """A browser plays a live stream as it comes. The publisher reacts to no key frame request."""
    def case(bench, name):
        check = bench.reporter.check
        relay = bench.keep(WebRTCRelay(bench.binary, bench.current, extra=["--dev"]))
        file = whip_client.File(bench.work / "sources", OWN)
        bench.keep(from_ffmpeg(bench, relay, file))
        clients.wait_until(lambda: relay.has_stream("file"), 10, "the publisher's stream")
        page = bench.visit(kind, relay.url + "/")
        began = time.monotonic()
        page.evaluate(PLAY)
        clients.wait_until(lambda: (state := page.evaluate(STATE))["time"] > 0.2 or state["error"], 20, "the start of the video")
        first, since = page.evaluate(STATE), time.monotonic()
        check(name, "the video begins", not first["error"], seconds=round(since - began, 1), error=first["error"])
        time.sleep(2.5)
        last, took = page.evaluate(STATE), time.monotonic() - since
        check(name, "its time advances", last["time"] - first["time"] > 0.7 * took, advanced=round(last["time"] - first["time"], 2), seconds=round(took, 2))
        check(name, "frames are shown", last["frames"] - first["frames"] > 20, frames=last["frames"] - first["frames"], width=last["width"],
              height=last["height"])
    return case


ALL = [("live stream, Chromium", played("chromium"))]
LONG = [("live stream, Firefox", played("firefox"))]
