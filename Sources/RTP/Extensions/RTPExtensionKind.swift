/// Header extensions that the relay supports, each with the URI that SDP maps to an id (RFC 8285 section 5).
package enum RTPExtensionKind: UInt8, Sendable, CaseIterable {
    /// Media section that a packet belongs to (RFC 8843 section 15).
    case mid
    /// Encoding of a track that a packet belongs to (RFC 8852 section 3.1).
    case rid
    /// Encoding that a retransmission belongs to (RFC 8852 section 3.2).
    case repairedRID
    /// Send time of the packet, 24 bits: 6.18 fixed-point seconds.
    case absSendTime
    /// Number of the packet within its transport (draft-holmer-rmcat-transport-wide-cc-extensions-01 section 2).
    case transportWideCC
    /// Loudness and voice activity (RFC 6464).
    case audioLevel
    /// Capture time of the media, on the capturer's clock.
    case absCaptureTime
    /// Minimum and maximum playout delay for the receiver.
    case playoutDelay
    /// Rotation that the receiver applies (RFC 7742 section 4, 3GPP TS 26.114 section 7.4.5).
    case videoOrientation
    /// Layers and references of the packet's frame (RTP Payload Format for AV1 version 1.0, appendix A).
    case dependencyDescriptor

    package var uri: String {
        switch self {
        case .mid: "urn:ietf:params:rtp-hdrext:sdes:mid"
        case .rid: "urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id"
        case .repairedRID: "urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id"
        case .absSendTime: "http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time"
        case .transportWideCC: "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
        case .audioLevel: "urn:ietf:params:rtp-hdrext:ssrc-audio-level"
        case .absCaptureTime: "http://www.webrtc.org/experiments/rtp-hdrext/abs-capture-time"
        case .playoutDelay: "http://www.webrtc.org/experiments/rtp-hdrext/playout-delay"
        case .videoOrientation: "urn:3gpp:video-orientation"
        case .dependencyDescriptor:
            "https://aomediacodec.github.io/av1-rtp-spec/#dependency-descriptor-rtp-header-extension"
        }
    }

    package init?(uri: some StringProtocol) {
        guard let kind = Self.allCases.first(where: { $0.uri == uri }) else { return nil }
        self = kind
    }
}
