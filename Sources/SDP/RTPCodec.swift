import MediaBase

/// A payload type of a media section with its attributes.
struct RTPCodec: Sendable, Hashable {
    var payloadType: PayloadType
    /// In lower case.
    var name: String
    /// Hertz.
    var clockRate: UInt32
    var channels: UInt8
    /// Parameters of `a=fmtp`, names in lower case.
    var parameters: [String: String]
    var feedback: TrackDescription.Feedback

    /// Returns whether this is the supported codec for that kind (RFC 7587 section 7, RFC 7741 section 6.1).
    func carries(_ kind: MediaKind) -> Bool {
        switch kind {
        case .audio: name == "opus" && clockRate == 48_000 && channels == 2
        case .video: name == "vp8" && clockRate == 90_000
        }
    }
}
