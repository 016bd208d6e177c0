package import MediaBase
package import RTP
package import SRTP

/// Identifier of one transport within its engine.
package struct TransportID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    package var rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
    package var description: String { rawValue }
}

package enum TransportDirection: String, Sendable, Codable {
    case publish
    case subscribe
}

/// Request for an SRTP transport whose keys the caller's own signalling carries (RFC 4568 without offer and answer).
package struct PlainTransportRequest: Sendable {
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

package struct PlainTrackRequest: Sendable {
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
package struct PlainTransport: Sendable {
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
}

/// Track of a subscription.
package struct PlainSource: Sendable {
    package var stream: String
    package var kind: MediaKind
    package var ssrc: UInt32
}

package struct PlainTrack: Sendable {
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
