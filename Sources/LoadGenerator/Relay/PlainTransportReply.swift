import MediaBase
import MediaEngine
import SRTP

/// Answer to `POST /v1/sessions/{session}/plain`.
struct PlainTransportReply: Decodable {
    struct Track: Decodable {
        var port: UInt16
        var rtcpPort: UInt16?
        var payloadType: UInt8
        var ssrc: UInt32
        var codec: String?

        func track(_ kind: MediaKind, rtcpMux: Bool) -> PlainTrack {
            PlainTrack(
                port: port, rtcpPort: rtcpPort ?? (rtcpMux ? port : port &+ 1), payloadType: payloadType, ssrc: ssrc,
                codec: codec ?? "", clockRate: kind.clockRate)
        }
    }

    var id: String
    var session: String
    var stream: String
    var direction: String
    var address: String
    var rtcpMux: Bool
    var suite: String
    var clientKey: String
    var relayKey: String
    var audio: Track?
    var video: Track?

    func transport() throws(LoadError) -> PlainTransport {
        guard let suite = SRTPSuite(sdesName: suite) else {
            throw .noAnswer("the relay answered with the unknown suite \"\(self.suite)\"")
        }
        guard let direction = TransportDirection(rawValue: direction) else {
            throw .noAnswer("the relay answered with the unknown direction \"\(self.direction)\"")
        }
        let keys: (client: SRTPKey, relay: SRTPKey)
        do { keys = (try SRTPKey(suite: suite, inline: clientKey), try SRTPKey(suite: suite, inline: relayKey)) } catch
        {
            throw .noAnswer("the relay answered with a key that does not fit \(suite.sdesName)")
        }
        return PlainTransport(
            id: TransportID(rawValue: id), session: session, stream: stream, direction: direction, address: address,
            rtcpMux: rtcpMux, suite: suite, clientKey: keys.client, relayKey: keys.relay,
            audio: audio?.track(.audio, rtcpMux: rtcpMux),
            video: video?.track(.video, rtcpMux: rtcpMux))
    }
}
