"""WebRTC clients that are not ours against the relay: aiortc, Chromium, Firefox, GStreamer's whip-client."""
