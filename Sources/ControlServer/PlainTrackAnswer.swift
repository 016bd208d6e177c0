import MediaEngine

/// Track of a `PlainTransportAnswer`. `port` is the relay's port for a publisher, and the client's own port for a subscriber.
struct PlainTrackAnswer: Codable, Sendable {
    var port: UInt16
    var rtcpPort: UInt16
    var payloadType: UInt8
    var ssrc: UInt32
    var codec: String
    /// RTP clock rate in Hz.
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

    var track: PlainTrack {
        PlainTrack(
            port: port, rtcpPort: rtcpPort, payloadType: payloadType, ssrc: ssrc, codec: codec, clockRate: clockRate,
            channels: channels, rtx: rtx.map { PlainRTX(payloadType: $0.payloadType, ssrc: $0.ssrc) })
    }
}
