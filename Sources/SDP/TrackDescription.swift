package import MediaBase
package import RTP

/// One media section of one track as both sides agreed on it: numbers are those of the peer's offer.
package struct TrackDescription: Sendable, Hashable {
    package var mid: MID
    package var kind: MediaKind
    /// Of Opus or VP8.
    package var payloadType: PayloadType
    /// Of the retransmissions of that payload type (RFC 4588); nil: packets are sent again as they were.
    package var rtxPayloadType: PayloadType?
    package var extensions: RTPExtensionMap
    package var feedback: Feedback
    /// What a publisher announced: one entry with neither rid nor SSRC where it named none. In the order of the offer, which for
    /// simulcast is that of its `a=simulcast:send` line. Empty for a track that the relay sends.
    package var encodings: [Encoding]

    /// One simulcast rendition, or the only one.
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

    /// RTCP messages that both sides take (RFC 4585 section 4.2).
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
