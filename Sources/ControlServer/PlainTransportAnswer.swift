package import MediaEngine
import SRTP

/// Answer to `POST /v1/sessions/{session}/plain`.
package struct PlainTransportAnswer: Codable, Sendable {
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

    /// Returns the transport for a client that has received this answer.
    /// - Throws: `Problem` if the relay's answer is unusable.
    package func transport() throws(Problem) -> PlainTransport {
        guard let suite = SRTPSuite(sdesName: suite) else {
            throw Problem(.invalidField, "\"\(suite)\" is not the name of a suite", field: "suite")
        }
        guard let direction = TransportDirection(rawValue: direction) else {
            throw Problem(.invalidField, "\"\(direction)\" is not a direction", field: "direction")
        }
        func key(_ text: String, _ field: String) throws(Problem) -> SRTPKey {
            do { return try SRTPKey(suite: suite, inline: text) } catch {
                throw Problem(.invalidField, "the key does not fit \(suite.sdesName)", field: field)
            }
        }
        return PlainTransport(
            id: TransportID(rawValue: id), session: session, stream: stream, direction: direction, address: address,
            rtcpMux: rtcpMux, suite: suite, clientKey: try key(clientKey, "clientKey"),
            relayKey: try key(relayKey, "relayKey"), audio: audio?.track, video: video?.track, sdp: sdp)
    }
}
