/// Kinds of packets that the hostile run sends, as its report names them.
enum PacketKind: String, CaseIterable, Sendable {
    /// Random bytes, and mutated packets without a key, to any media port.
    case noise
    /// Connectivity checks with damaged attributes under a valid MESSAGE-INTEGRITY (RFC 8489 section 14.5).
    case stun
    /// Mutated DTLS records, from the address of a peer.
    case dtls
    /// RTP of a publisher under its valid key.
    case plainRTP
    /// RTCP of a publisher under its valid key.
    case plainRTCP
    /// RTCP of a plain subscriber under its valid key.
    case plainFeedback
    /// RTP of a WebRTC publisher, under keys of a completed DTLS handshake; its RTCP and the feedback of a subscriber follow.
    case webRTCRTP
    case webRTCRTCP
    case webRTCFeedback
    /// Authentic RTP and RTCP over ICE-TCP, cut at random offsets.
    case framed
    /// Frames with false lengths (RFC 4571 section 2).
    case brokenFrames

    /// Whether the relay can refuse the packet only after decrypting it.
    var isAuthentic: Bool {
        switch self {
        case .noise, .dtls, .brokenFrames: false
        case .stun, .plainRTP, .plainRTCP, .plainFeedback, .webRTCRTP, .webRTCRTCP, .webRTCFeedback, .framed: true
        }
    }
}
