import MediaEngine
import SRTP

/// Answer to `POST /v1/sessions/{session}/plain`.
struct PlainTransportAnswer: Encodable, Sendable {
    var id: String
    var session: String
    var stream: String
    var direction: String
    var address: String
    var rtcpMux: Bool
    var suite: String
    /// Base64 of the master key and salt with which the client protects packets.
    var clientKey: String
    /// Base64 of the master key and salt with which the relay protects packets.
    var relayKey: String
    var audio: PlainTrackAnswer?
    var video: PlainTrackAnswer?
    /// Session description (RFC 8866), which players can use unchanged.
    var sdp: String

    init(_ transport: PlainTransport) {
        id = transport.id.rawValue
        session = transport.session
        stream = transport.stream
        direction = transport.direction.rawValue
        address = transport.address
        rtcpMux = transport.rtcpMux
        suite = transport.suite.sdesName
        clientKey = transport.clientKey.base64
        relayKey = transport.relayKey.base64
        audio = transport.audio.map(PlainTrackAnswer.init)
        video = transport.video.map(PlainTrackAnswer.init)
        sdp = transport.sdp
    }
}
