package import MediaBase
package import RTP
package import SRTP

/// Identifier of one transport within its engine.
package struct TransportID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    package var rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
    package var description: String { rawValue }

    /// Whether the id has 1 to 64 hexadecimal digits, so that it can be part of a path.
    var isHex: Bool {
        (1...64).contains(rawValue.utf8.count)
            && rawValue.utf8.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    }
}

package enum TransportDirection: String, Sendable, Codable {
    case publish
    case subscribe
}

/// Request for an SRTP transport whose keys the caller's own signalling carries (RFC 4568 without offer and answer).
package struct PlainTransportRequest: Sendable, Equatable, Codable {
    package var direction: TransportDirection
    package var session: String
    /// Publish: name of the new stream; nil: generated. Subscribe: name of the stream, or `allStreams`; nil: the newest stream.
    package var stream: String?

    /// Name that subscribes to every stream of the session, including streams published later. Each track has its own SSRC.
    package static let allStreams = "*"

    package var suite: SRTPSuite = .aesCM128HMACSHA1_80
    /// Whether RTCP uses the RTP port (RFC 5761); otherwise it uses the next port.
    package var rtcpMux = false
    /// Subscribe: numeric address to send to.
    package var address: String?
    package var audio: PlainTrackRequest?
    package var video: PlainTrackRequest?

    package init(direction: TransportDirection, session: String) {
        self.direction = direction
        self.session = session
    }
}

package struct PlainTrackRequest: Sendable, Equatable, Codable {
    /// Subscribe: the UDP port to send RTP to. Publish: not used.
    package var port: UInt16?
    package var payloadType: UInt8?
    package var ssrc: UInt32?
    /// Publish: codec of the video; nil: VP8. Subscribe: the only codec that the client takes; nil: whichever the stream has.
    package var codec: VideoCodec?
    /// Video: separate retransmission stream (RFC 4588); nil: retransmissions repeat the original packets.
    package var rtx: PlainRTXRequest?
    /// Publish, H.264: parameter sets of the stream, for a publisher that sends none in band.
    package var parameterSets: H264ParameterSets?

    package init(
        port: UInt16? = nil, payloadType: UInt8? = nil, ssrc: UInt32? = nil, codec: VideoCodec? = nil,
        rtx: PlainRTXRequest? = nil, parameterSets: H264ParameterSets? = nil
    ) {
        self.port = port
        self.payloadType = payloadType
        self.ssrc = ssrc
        self.codec = codec
        self.rtx = rtx
        self.parameterSets = parameterSets
    }
}

/// Description of an open plain transport, with everything that its client needs.
package struct PlainTransport: Sendable, Equatable, Codable {
    package var id: TransportID
    package var session: String
    package var stream: String
    package var direction: TransportDirection
    /// Publish: address to send to. Subscribe: address that the relay sends to.
    package var address: String
    package var rtcpMux: Bool
    package var suite: SRTPSuite
    /// Key that the client encrypts with.
    package var clientKey: SRTPKey
    /// Key that the relay encrypts with.
    package var relayKey: SRTPKey
    package var audio: PlainTrack?
    package var video: PlainTrack?
    /// Subscribe: SSRC of each track.
    package var sources: [PlainSource] = []
    /// Session description (RFC 8866, keys by RFC 4568) of the media that the relay sends or expects.
    package var sdp: String

    package init(
        id: TransportID, session: String, stream: String, direction: TransportDirection, address: String, rtcpMux: Bool,
        suite: SRTPSuite, clientKey: SRTPKey, relayKey: SRTPKey, audio: PlainTrack? = nil, video: PlainTrack? = nil,
        sources: [PlainSource] = [], sdp: String = ""
    ) {
        self.id = id
        self.session = session
        self.stream = stream
        self.direction = direction
        self.address = address
        self.rtcpMux = rtcpMux
        self.suite = suite
        self.clientKey = clientKey
        self.relayKey = relayKey
        self.audio = audio
        self.video = video
        self.sources = sources
        self.sdp = sdp
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(TransportID.self, forKey: .id)
        session = try container.decode(String.self, forKey: .session)
        stream = try container.decode(String.self, forKey: .stream)
        direction = try container.decode(TransportDirection.self, forKey: .direction)
        address = try container.decode(String.self, forKey: .address)
        rtcpMux = try container.decode(Bool.self, forKey: .rtcpMux)
        suite = try container.decode(SRTPSuite.self, forKey: .suite)
        clientKey = try container.decode(SRTPKey.self, forKey: .clientKey)
        relayKey = try container.decode(SRTPKey.self, forKey: .relayKey)
        audio = try container.decodeIfPresent(PlainTrack.self, forKey: .audio)
        video = try container.decodeIfPresent(PlainTrack.self, forKey: .video)
        sources = try container.decode([PlainSource].self, forKey: .sources)
        sdp = try container.decode(String.self, forKey: .sdp)
        try container.check(id.isHex, .id, "an id has hexadecimal digits only")
        try container.check(
            clientKey.suite == suite && relayKey.suite == suite, .suite, "the keys are of another suite")
    }
}

/// Track of a subscription.
package struct PlainSource: Sendable, Equatable, Codable {
    package var stream: String
    package var kind: MediaKind
    package var ssrc: UInt32
}

package struct PlainTrack: Sendable, Equatable, Codable {
    package var port: UInt16
    package var rtcpPort: UInt16
    package var payloadType: UInt8
    package var ssrc: UInt32
    /// Name of the RTP payload format.
    package var codec: String
    package var clockRate: Int
    /// 2 for Opus, even if it carries mono (RFC 7587 section 7); nil for video.
    package var channels: Int?
    /// Retransmission stream; nil: none.
    package var rtx: PlainRTX?

    package init(
        port: UInt16, rtcpPort: UInt16, payloadType: UInt8, ssrc: UInt32, codec: String, clockRate: Int,
        channels: Int? = nil, rtx: PlainRTX? = nil
    ) {
        self.port = port
        self.rtcpPort = rtcpPort
        self.payloadType = payloadType
        self.ssrc = ssrc
        self.codec = codec
        self.clockRate = clockRate
        self.channels = channels
        self.rtx = rtx
    }
}
