/// Request for a retransmission stream of a plain transport's video (RFC 4588).
package struct PlainRTXRequest: Hashable, Sendable, Codable {
    package var payloadType: UInt8
    /// Nil: the relay picks one. For a subscriber, it applies to the first video track.
    package var ssrc: UInt32?

    package init(payloadType: UInt8, ssrc: UInt32? = nil) {
        self.payloadType = payloadType
        self.ssrc = ssrc
    }
}
