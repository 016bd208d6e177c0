import MediaBase
import RTP

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

    /// Returns whether this is Opus (RFC 7587 section 7), or one of the allowed video codecs with a usable format.
    func carries(_ kind: MediaKind, _ allowed: [VideoCodec]) -> Bool {
        switch kind {
        case .audio: name == "opus" && clockRate == 48_000 && channels == 2
        case .video: video.map(allowed.contains) ?? false
        }
    }

    /// Payload type of the codec that all blocks of redundant audio have (RFC 2198 section 5: `a=fmtp:63 111/111`); nil if this is not such a
    /// codec, or if it mixes codecs.
    var repeated: UInt8? {
        guard name == "red", clockRate == 48_000, channels == 2, parameters.count == 1,
            let types = parameters.first?.key.fields("/"), types.count > 1, Set(types).count == 1
        else { return nil }
        return types[0].decimal()
    }

    /// The video codec, if the relay supports its format (RFC 7741 section 6.1, RFC 6184 section 8.1, RFC 9628 section 6, section 7.2
    /// of the AV1 RTP format): of H.264 only with packets that may fragment NAL units (`packetization-mode=1`), of VP9 and AV1 only
    /// profile 0, which is 4:2:0 with 8 bits and, for AV1, with 10 bits.
    var video: VideoCodec? {
        guard clockRate == 90_000 else { return nil }
        switch name {
        case "vp8": return .vp8
        case "h264":
            guard parameters["packetization-mode"] == "1", H264Profile(levelID: parameters["profile-level-id"]) != nil
            else { return nil }
            return .h264
        case "vp9": return parameters["profile-id", default: "0"] == "0" ? .vp9 : nil
        case "av1": return parameters["profile", default: "0"] == "0" ? .av1 : nil
        default: return nil
        }
    }

    /// Parameter sets of an H.264 stream. A publisher whose value is malformed or too long may send others in band, so it is not refused.
    var parameterSets: H264ParameterSets? {
        guard video == .h264, let text = parameters["sprop-parameter-sets"] else { return nil }
        return try? H264ParameterSets(text)
    }

    /// The parameters that an answer repeats. The level is repeated as it was offered: with `level-asymmetry-allowed=1` each side may
    /// state its own, and without it both must state the same (RFC 6184 section 8.2.2).
    var agreedParameters: String {
        let names: [String] =
            switch video {
            case .h264: ["level-asymmetry-allowed", "packetization-mode", "profile-level-id"]
            case .vp9: ["profile-id"]
            case .av1: ["level-idx", "profile", "tier"]
            case .vp8, nil: []
            }
        return names.compactMap { name in
            guard let value = parameters[name], !value.isEmpty, value.utf8.count <= 6,
                value.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit })
            else { return nil }
            return "\(name)=\(value)"
        }.joined(separator: ";")
    }
}
