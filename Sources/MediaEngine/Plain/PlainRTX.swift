/// The retransmission stream of a plain transport's video (RFC 4588, SSRC multiplexing).
package struct PlainRTX: Hashable, Sendable, Codable {
    package var payloadType: UInt8
    package var ssrc: UInt32

    package init(payloadType: UInt8, ssrc: UInt32) {
        self.payloadType = payloadType
        self.ssrc = ssrc
    }
}
