package import MediaBase
package import RTP

/// A media section of one track as negotiated: mid, payload types and ids are those of the peer's offer.
package struct TrackDescription: Sendable, Hashable, Codable {
    package var mid: MID
    package var kind: MediaKind
    /// Codecs in the order of preference, at least one. A track that the relay receives has one; a track that it sends has all that
    /// the subscriber accepts, and packets are sent under the payload type of their stream's codec.
    package var codecs: [CodecDescription]
    package var extensions: RTPExtensionMap
    /// Encodings that a publisher announced, in the order of the offer, which for simulcast is that of its `a=simulcast:send` line;
    /// one entry without rid and SSRC if it named none. Empty for a track that the relay sends.
    package var encodings: [Encoding]

    /// One simulcast encoding, or the only one.
    package struct Encoding: Sendable, Hashable, Codable {
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
    package struct Feedback: OptionSet, Sendable, Hashable, Codable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let nack = Feedback(rawValue: 1)
        package static let pli = Feedback(rawValue: 2)
        package static let fir = Feedback(rawValue: 4)
        package static let transportCC = Feedback(rawValue: 8)
        package static let remb = Feedback(rawValue: 16)
    }

    /// - Precondition: `codecs` has at least one codec, and all are of one kind.
    package init(
        mid: MID, codecs: [CodecDescription], extensions: RTPExtensionMap = RTPExtensionMap(),
        encodings: [Encoding] = []
    ) {
        guard let first = codecs.first else { preconditionFailure("a track has a codec") }
        self.mid = mid
        kind = first.kind
        self.codecs = codecs
        self.extensions = extensions
        self.encodings = encodings
        // Transport-wide feedback needs transport-wide sequence numbers.
        guard extensions[.transportWideCC] == nil else { return }
        for index in codecs.indices { self.codecs[index].feedback.remove(.transportCC) }
    }

    /// Maximum number of codecs of a decoded track.
    private static let maximumCodecs = 16

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let codecs = try container.decode([CodecDescription].self, forKey: .codecs)
        try container.check((1...Self.maximumCodecs).contains(codecs.count), .codecs, "a track has 1 to 16 codecs")
        let kind = try container.decode(MediaKind.self, forKey: .kind)
        try container.check(codecs.allSatisfy { $0.kind == kind }, .codecs, "a codec is of another kind")
        let numbers = codecs.flatMap(\.payloadTypes)
        try container.check(Set(numbers).count == numbers.count, .codecs, "a payload type has two meanings")
        let encodings = try container.decode([Encoding].self, forKey: .encodings)
        try container.check(
            encodings.count <= MediaSection.maximumEncodings, .encodings, "there are too many encodings")
        let rids = encodings.compactMap(\.rid)
        try container.check(Set(rids).count == rids.count, .encodings, "two encodings have the same RID")
        self.init(
            mid: try container.decode(MID.self, forKey: .mid), codecs: codecs,
            extensions: try container.decode(RTPExtensionMap.self, forKey: .extensions), encodings: encodings)
    }

    /// Payload type of the first codec.
    package var payloadType: PayloadType { codecs[0].payloadType }

    /// Payload type of the first codec's retransmissions (RFC 4588); nil: the original packets are sent again.
    package var rtxPayloadType: PayloadType? { codecs[0].rtxPayloadType }

    /// Payload type of redundant audio (RFC 2198); nil if it was not negotiated.
    package var redPayloadType: PayloadType? { codecs[0].redPayloadType }

    /// The track without redundant audio.
    package var withoutRED: TrackDescription {
        var track = self
        track.codecs = codecs.map(\.withoutRED)
        return track
    }

    /// First video codec; nil for audio.
    package var videoCodec: VideoCodec? { codecs[0].video }

    /// True if a codec has a payload type of retransmissions.
    package var retransmits: Bool { codecs.contains { $0.rtxPayloadType != nil } }

    /// RTCP messages that both sides support for at least one of the codecs.
    package var feedback: Feedback { codecs.reduce(into: []) { $0.formUnion($1.feedback) } }

    /// Payload types as in an m-line.
    var formats: [String] { codecs.flatMap(\.payloadTypes).map(\.description) }

    /// Returns the codec for a stream of this video codec; nil if there is none.
    package func codec(for video: VideoCodec) -> CodecDescription? { codecs.first { $0.video == video } }

    /// Returns the track with this video codec alone; the track itself if it lacks the codec, or if that is nil.
    package func limited(to video: VideoCodec?) -> TrackDescription {
        guard let codec = video.flatMap({ codec(for: $0) }) else { return self }
        var track = self
        track.codecs = [codec]
        return track
    }

    /// Returns the codec that has this payload type, as its own or for its retransmissions.
    package func codec(under payloadType: PayloadType) -> CodecDescription? {
        codecs.first { $0.payloadType == payloadType || $0.rtxPayloadType == payloadType }
    }
}
