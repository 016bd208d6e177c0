package import MediaBase
package import RTP

/// A codec of a media section under its payload types.
package struct CodecDescription: Sendable, Hashable, Codable {
    /// Nil: Opus.
    package var video: VideoCodec?
    package var payloadType: PayloadType
    /// Payload type of retransmissions (RFC 4588); nil: the original packets are sent again.
    package var rtxPayloadType: PayloadType?
    /// Opus: payload type of packets that also repeat earlier ones (RFC 2198); nil: there are none.
    package var redPayloadType: PayloadType?
    /// Parameters of `a=fmtp` on which both sides have to agree, such as `packetization-mode=1;profile-level-id=42e01f`; empty if there
    /// are none. Those of Opus are preferences of each side, and are left out.
    package var parameters: String
    package var feedback: TrackDescription.Feedback
    /// H.264: parameter sets of the stream that the publisher's description has; nil: none, or none that are usable.
    package var parameterSets: H264ParameterSets?

    /// Maximum characters of the parameters. Those of H.264 have 68.
    private static let maximumParameters = 128

    package init(
        video: VideoCodec?, payloadType: PayloadType, rtxPayloadType: PayloadType? = nil,
        redPayloadType: PayloadType? = nil, parameters: String = "", feedback: TrackDescription.Feedback = [],
        parameterSets: H264ParameterSets? = nil
    ) {
        self.video = video
        self.payloadType = payloadType
        self.rtxPayloadType = rtxPayloadType
        self.redPayloadType = redPayloadType
        self.parameters = parameters
        self.feedback = feedback
        self.parameterSets = parameterSets
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        video = try container.decodeIfPresent(VideoCodec.self, forKey: .video)
        payloadType = try container.decode(PayloadType.self, forKey: .payloadType)
        rtxPayloadType = try container.decodeIfPresent(PayloadType.self, forKey: .rtxPayloadType)
        redPayloadType = try container.decodeIfPresent(PayloadType.self, forKey: .redPayloadType)
        parameters = try container.decode(String.self, forKey: .parameters)
        feedback = try container.decode(TrackDescription.Feedback.self, forKey: .feedback)
        parameterSets = try container.decodeIfPresent(H264ParameterSets.self, forKey: .parameterSets)
        try container.check(!payloadType.isTakenForRTCP, .payloadType, "the packets would be taken for RTCP")
        try container.check(
            rtxPayloadType?.isTakenForRTCP != true && rtxPayloadType != payloadType, .rtxPayloadType,
            "the packets would be taken for others")
        if let redPayloadType {
            let others = [payloadType, rtxPayloadType]
            try container.check(
                video == nil && !redPayloadType.isTakenForRTCP && !others.contains(redPayloadType), .redPayloadType,
                "the packets would be taken for others")
        }
        try container.check(
            parameters.isEmpty || parameters.isToken && parameters.utf8.count <= Self.maximumParameters, .parameters,
            "the parameters are too long, or have a character that is not allowed")
    }

    package var kind: MediaKind { video == nil ? .audio : .video }

    /// Payload types as in an m-line.
    var payloadTypes: [PayloadType] { [payloadType, rtxPayloadType, redPayloadType].compactMap(\.self) }

    /// The codec without redundant audio.
    var withoutRED: CodecDescription {
        var codec = self
        codec.redPayloadType = nil
        return codec
    }

    /// Name, clock rate and channels as in `a=rtpmap`.
    var encodingName: String {
        guard let video else { return "opus/48000/2" }
        return "\(video.rawValue)/\(kind.clockRate)"
    }

    /// Returns whether an answer's codec is this one, under the same payload type. For H.264 the profile must be the same; the level may
    /// differ (RFC 6184 section 8.2.2).
    func isAnswered(by other: CodecDescription) -> Bool {
        guard payloadType == other.payloadType, video == other.video else { return false }
        return video != .h264 || h264Profile == other.h264Profile
    }

    private var h264Profile: H264Profile? {
        let level = parameters.fields(";").first { $0.hasPrefix("profile-level-id=") }
        return H264Profile(levelID: level?.halves("=")?.tail)
    }
}

extension CodecDescription {
    /// Payload type of redundant audio in the relay's offers.
    static let offeredRED = PayloadType(63)

    /// Opus as in this side's offers.
    static let offeredOpus = CodecDescription(
        video: nil, payloadType: PayloadType(111), feedback: [.nack, .transportCC])

    /// Returns a video codec as in this side's offers. Its payload types are fixed, so that a client's answer to one offer also fits
    /// the next ones.
    ///
    /// H.264 is offered once, as constrained baseline at level 3.1: that is the one profile that Chromium, Firefox, Safari and aiortc all
    /// accept, and their decoders take the other profiles' streams under its payload type as well. A second entry, for example with high
    /// profile, would give clients a choice of payload types that has no effect on what they are sent.
    static func offered(_ video: VideoCodec, retransmits: Bool) -> CodecDescription {
        let (number, parameters): (UInt8, String) =
            switch video {
            case .vp8: (96, "")
            case .h264: (98, "level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f")
            case .vp9: (100, "profile-id=0")
            case .av1: (102, "level-idx=5;profile=0;tier=0")
            }
        return CodecDescription(
            video: video, payloadType: PayloadType(number), rtxPayloadType: retransmits ? PayloadType(number + 1) : nil,
            parameters: parameters, feedback: [.nack, .pli, .fir, .transportCC, .remb])
    }
}
