package import MediaBase
package import SRTP

/// Names one transport within its engine.
package struct TransportID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package var rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
    package var description: String { rawValue }
}

package enum TransportDirection: String, Sendable, Codable {
    case publish
    case subscribe
}

/// Asks for SRTP in or out with keys handed over by the caller's own signalling (RFC 4568 without the offer).
package struct PlainTransportRequest: Sendable {
    package var direction: TransportDirection
    package var session: String
    /// Publish: the new stream's name (made up where nil). Subscribe: the wanted stream (the newest where nil), or `allStreams`.
    package var stream: String?

    /// As a subscription's stream: every stream of the session, those published later as well, each track under an SSRC of its own.
    package static let allStreams = "*"

    package var suite: SRTPSuite = .aesCM128HMACSHA1_80
    /// RTCP on the RTP port (RFC 5761); else on the port after it.
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
    /// Video: retransmissions on a stream of their own (RFC 4588); nil: packets are sent again as they were.
    package var rtx: PlainRTXRequest?

    package init(
        port: UInt16? = nil, payloadType: UInt8? = nil, ssrc: UInt32? = nil, rtx: PlainRTXRequest? = nil
    ) {
        self.port = port
        self.payloadType = payloadType
        self.ssrc = ssrc
        self.rtx = rtx
    }
}

/// An open plain transport: everything that its client must know.
package struct PlainTransport: Sendable {
    package var id: TransportID
    package var session: String
    package var stream: String
    package var direction: TransportDirection
    /// Publish: where to send. Subscribe: where the relay sends.
    package var address: String
    package var rtcpMux: Bool
    package var suite: SRTPSuite
    /// The client protects with this, the relay unprotects.
    package var clientKey: SRTPKey
    /// The relay protects with this, the client unprotects.
    package var relayKey: SRTPKey
    package var audio: PlainTrack?
    package var video: PlainTrack?
    /// Subscribe: the SSRC that each track goes out with.
    package var sources: [PlainSource] = []
    /// A session description (RFC 8866, keys by RFC 4568) of what the relay sends, or of what it expects.
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

/// One track of a subscription.
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
    package var codec: String
    package var clockRate: Int
    /// 2 for Opus whatever it carries (RFC 7587 section 7); nil for video.
    package var channels: Int?
    /// The stream of retransmissions; nil: there is none.
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
