import MediaEngine
import SRTP

/// Body of `POST /v1/sessions/{session}/plain`.
struct PlainTransportBody: Encodable {
    struct Track: Encodable {
        var port: UInt16?
        var payloadType: UInt8?
        var ssrc: UInt32?

        init(_ track: PlainTrackRequest) {
            port = track.port
            payloadType = track.payloadType
            ssrc = track.ssrc
        }
    }

    var direction: String
    var stream: String?
    var suite: String
    var rtcpMux: Bool
    var address: String?
    var audio: Track?
    var video: Track?

    init(_ request: PlainTransportRequest) {
        direction = request.direction.rawValue
        stream = request.stream
        suite = request.suite.sdesName
        rtcpMux = request.rtcpMux
        address = request.address
        audio = request.audio.map(Track.init)
        video = request.video.map(Track.init)
    }
}
