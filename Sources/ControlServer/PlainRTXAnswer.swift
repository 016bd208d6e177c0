/// The retransmission stream (RFC 4588) of a `PlainTrackAnswer`.
struct PlainRTXAnswer: Codable, Sendable {
    var payloadType: UInt8
    var ssrc: UInt32
}
