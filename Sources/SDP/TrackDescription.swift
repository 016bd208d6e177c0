package import MediaBase
package import RTP

/// A media section of one track as negotiated: mid, payload types and ids are those of the peer's offer.
package struct TrackDescription: Sendable, Hashable {
    package var mid: MID
    package var kind: MediaKind
    /// Payload type of Opus or VP8.
    package var payloadType: PayloadType
    /// Payload type of retransmissions (RFC 4588); nil: the original packets are sent again.
    package var rtxPayloadType: PayloadType?
    package var extensions: RTPExtensionMap
    package var feedback: Feedback
    /// Encodings that a publisher announced, in the order of the offer, which for simulcast is that of its `a=simulcast:send` line;
    /// one entry without rid and SSRC if it named none. Empty for a track that the relay sends.
    package var encodings: [Encoding]

    /// One simulcast encoding, or the only one.
    package struct Encoding: Sendable, Hashable {
        package var rid: RID?
        package var ssrc: SSRC?
        package var rtxSSRC: SSRC?

        package init(rid: RID? = nil, ssrc: SSRC? = nil, rtxSSRC: SSRC? = nil) {
            self.rid = rid
            self.ssrc = ssrc
            self.rtxSSRC = rtxSSRC
        }
    }

    /// RTCP messages that both sides support (RFC 4585 section 4.2).
    package struct Feedback: OptionSet, Sendable, Hashable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let nack = Feedback(rawValue: 1)
        package static let pli = Feedback(rawValue: 2)
        package static let fir = Feedback(rawValue: 4)
        package static let transportCC = Feedback(rawValue: 8)
        package static let remb = Feedback(rawValue: 16)
    }

    package init(
        mid: MID, kind: MediaKind, payloadType: PayloadType, rtxPayloadType: PayloadType? = nil,
        extensions: RTPExtensionMap = RTPExtensionMap(), feedback: Feedback = [], encodings: [Encoding] = []
    ) {
        self.mid = mid
        self.kind = kind
        self.payloadType = payloadType
        self.rtxPayloadType = rtxPayloadType
        self.extensions = extensions
        self.feedback = feedback
        self.encodings = encodings
    }
}
