import MediaEngine

/// One track of a `PlainTransportAnswer`. Publish: `port` is where to send; subscribe: the client's own port.
struct PlainTrackAnswer: Encodable, Sendable {
    var port: UInt16
    var rtcpPort: UInt16
    var payloadType: UInt8
    var ssrc: UInt32
    var codec: String
    /// Hz.
    var clockRate: Int
    var channels: Int?
    var rtx: PlainRTXAnswer?

    init(_ track: PlainTrack) {
        port = track.port
        rtcpPort = track.rtcpPort
        payloadType = track.payloadType
        ssrc = track.ssrc
        codec = track.codec
        clockRate = track.clockRate
        channels = track.channels
        rtx = track.rtx.map { PlainRTXAnswer(payloadType: $0.payloadType, ssrc: $0.ssrc) }
    }
}
