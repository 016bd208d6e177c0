package import MediaBase

/// Stream of a consumer's retransmissions (RFC 4588, SSRC multiplexing). Its sequence numbers are kept in `Consumer.Progress`: like those
/// of the media stream, they outlive the consumer.
package struct RTXStream: Hashable, Sendable {
    package var ssrc: SSRC
    package var payloadType: PayloadType

    package init(ssrc: SSRC, payloadType: PayloadType) {
        self.ssrc = ssrc
        self.payloadType = payloadType
    }
}
