"""A WHIP and WHEP client of GStreamer's webrtcbin: webrtcbin_client.py publish|subscribe URL

Needs Debian's Python, which has GStreamer's introspection. Prints the same lines as Tests/Interop/pion/main.go: each second a line of JSON
{"state", "video" (frames), "audio" (packets)}, and after SIGINT {"deleted": HTTP status}.
"""

import json
import signal
import sys
import urllib.error
import urllib.parse
import urllib.request

import gi

for name in ("Gst", "GstWebRTC", "GstSdp"):
    gi.require_version(name, "1.0")
from gi.repository import GLib, Gst, GstSdp, GstWebRTC  # noqa: E402

CAPS = {"video": "application/x-rtp,media=video,encoding-name=VP8,payload=96,clock-rate=90000",
        "audio": "application/x-rtp,media=audio,encoding-name=OPUS,payload=97,clock-rate=48000,encoding-params=(string)2"}
SENT = {"video": "videotestsrc is-live=true pattern=ball ! video/x-raw,width=160,height=96,framerate=5/1 "
                 "! vp8enc deadline=1 cpu-used=8 keyframe-max-dist=10 target-bitrate=100000 "
                 "! rtpvp8pay pt=96 picture-id-mode=15-bit mtu=1200",
        "audio": "audiotestsrc is-live=true freq=440 ! audio/x-raw,rate=48000,channels=2 ! opusenc ! rtpopuspay pt=97"}


class Client:
    def __init__(self, role, url):
        self.url, self.location = url, None
        self.counts = {"video": 0, "audio": 0}
        self.loop = GLib.MainLoop()
        branches = [f"{SENT[kind]} ! {CAPS[kind]} ! w." for kind in CAPS] if role == "publish" else []
        self.pipeline = Gst.Pipeline.new()
        self.pipeline.add(Gst.parse_bin_from_description(" ".join(["webrtcbin name=w bundle-policy=max-bundle", *branches]), False))
        self.peer = self.pipeline.get_by_name("w")
        if role == "subscribe":
            for caps in CAPS.values():
                self.peer.emit("add-transceiver", GstWebRTC.WebRTCRTPTransceiverDirection.RECVONLY, Gst.Caps.from_string(caps))
            self.peer.connect("pad-added", self.receive)
        else:
            for number, kind in enumerate(CAPS):
                self.count(self.peer.get_static_pad(f"sink_{number}"), kind)
        self.peer.connect("on-negotiation-needed", self.negotiate)
        self.peer.connect("notify::ice-gathering-state", lambda *_: GLib.idle_add(self.post))
        self.pipeline.set_state(Gst.State.PLAYING)
        GLib.timeout_add(1000, self.report)
        GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGINT, self.end)
        self.loop.run()

    def count(self, pad, kind):
        """Counts packets of audio; of video, those with the marker, which end a frame."""
        def passed(_, info):
            packet = info.get_buffer().extract_dup(0, 2)
            if kind == "audio" or packet[1] & 0x80:
                self.counts[kind] += 1
            return Gst.PadProbeReturn.OK
        pad.add_probe(Gst.PadProbeType.BUFFER, passed)

    def receive(self, _, pad):
        if pad.direction != Gst.PadDirection.SRC:
            return
        sink = Gst.ElementFactory.make("fakesink")
        pad.get_parent_element().get_parent().add(sink)
        sink.sync_state_with_parent()
        self.count(pad, pad.get_current_caps().get_structure(0).get_string("media"))
        pad.link(sink.get_static_pad("sink"))

    def negotiate(self, peer):
        promise = Gst.Promise.new_with_change_func(self.offered)
        peer.emit("create-offer", None, promise)

    def offered(self, promise):
        # The description is a part of the reply, and is freed with it.
        reply = promise.get_reply()
        self.peer.emit("set-local-description", reply.get_value("offer"), Gst.Promise.new())

    def post(self):
        """Posts the offer when it has all candidates."""
        if self.peer.props.ice_gathering_state != GstWebRTC.WebRTCICEGatheringState.COMPLETE or self.location:
            return False
        offer = self.peer.props.local_description.sdp.as_text()
        try:
            request = urllib.request.Request(self.url, offer.encode(), {"content-type": "application/sdp"})
            with urllib.request.urlopen(request, timeout=10) as answer:
                text = answer.read()
                self.location = urllib.parse.urljoin(self.url, answer.headers["Location"])
        except OSError as error:
            sys.exit(f"POST {self.url}: {error} {error.read() if isinstance(error, urllib.error.HTTPError) else ''}")
        _, message = GstSdp.SDPMessage.new_from_text(text.decode())
        description = GstWebRTC.WebRTCSessionDescription.new(GstWebRTC.WebRTCSDPType.ANSWER, message)
        self.peer.emit("set-remote-description", description, Gst.Promise.new())
        return False

    def report(self):
        print(json.dumps({"state": self.peer.props.connection_state.value_nick, **self.counts}), flush=True)
        return True

    def end(self):
        try:
            status = urllib.request.urlopen(urllib.request.Request(self.location, method="DELETE"), timeout=10).status
        except urllib.error.HTTPError as error:
            status = error.code
        print(json.dumps({"deleted": status}), flush=True)
        self.pipeline.set_state(Gst.State.NULL)
        self.loop.quit()
        return False


if __name__ == "__main__":
    Gst.init(None)
    Client(*sys.argv[1:])
