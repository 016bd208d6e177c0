"""Third-party WebRTC clients against the relay: aiortc, Chromium, Firefox, GStreamer's whip-client."""
