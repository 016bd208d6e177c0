extension FuzzTarget {
    /// Every target, in the order in which `tools/fuzz` runs them.
    package static let all: [FuzzTarget] = [
        FuzzTarget(
            "estimator", "bandwidth estimate over long histories of feedback", maximumLength: 4_096, EstimatorFuzz.run),
        FuzzTarget(
            "router", "packets of publishers through a router over long histories", maximumLength: 4_096, RouterFuzz.run
        ),
        FuzzTarget("rtp", "RTP headers, extensions, VP8 and Opus payloads", maximumLength: 1_500, RTPFuzz.run),
        FuzzTarget("frames", "assembly of VP8 frames", maximumLength: 4_096, FramesFuzz.run),
        FuzzTarget("video", "packets of each video codec and their frames", maximumLength: 8_192, VideoFuzz.run),
        FuzzTarget("rtcp", "RTCP compound packets", maximumLength: 1_500, RTCPFuzz.run),
        FuzzTarget("srtp", "SRTP and SRTCP of a peer with and without the keys", maximumLength: 4_096, SRTPFuzz.run),
        FuzzTarget("sframe", "frames with end-to-end encryption", maximumLength: 4_096, SFrameFuzz.run),
        FuzzTarget("agreement", "messages of the key agreement", maximumLength: 9_000, AgreementFuzz.run),
        FuzzTarget("stun", "STUN messages", maximumLength: 1_500, STUNFuzz.run),
        FuzzTarget("transport", "ICE and DTLS of one transport", maximumLength: 4_096, TransportFuzz.run),
        FuzzTarget("framing", "datagrams in a TCP stream", maximumLength: 8_192, FramingFuzz.run),
        FuzzTarget(
            "netlink", "routes, neighbours and interfaces of the kernel", maximumLength: 8_192, NetlinkFuzz.run),
        FuzzTarget("sdp", "session descriptions, fragments, candidates, keys", maximumLength: 8_192, SDPFuzz.run),
        FuzzTarget("messages", "JSON messages of clients and of the relay", maximumLength: 4_096, MessagesFuzz.run),
        FuzzTarget("webm", "WebM files", maximumLength: 8_192, WebMFuzz.run),
        FuzzTarget("ogg", "Ogg Opus files", maximumLength: 8_192, OggFuzz.run),
        FuzzTarget("ivf", "IVF, WAV and Y4M files", maximumLength: 8_192, IVFFuzz.run),
    ]
}
