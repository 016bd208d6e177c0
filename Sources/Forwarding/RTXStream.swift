package import MediaBase

/// The stream that a consumer's retransmissions go out on (RFC 4588, SSRC multiplexing). Its sequence numbers are kept with the viewer's
/// progress: they outlive the consumer as those of the media do.
package struct RTXStream: Hashable, Sendable {
    package var ssrc: SSRC
    package var payloadType: PayloadType

    package init(ssrc: SSRC, payloadType: PayloadType) {
        self.ssrc = ssrc
        self.payloadType = payloadType
    }
}
