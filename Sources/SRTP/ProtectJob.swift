/// Job that encrypts one RTP packet for one subscriber.
///
/// The header is already at `destination`. The payload is encrypted from `source` to the bytes behind the header, and the tag is appended.
/// No byte beyond `destination + headerLength + payloadLength + tagLength` is written, so that packets can be adjacent in a slab.
package struct ProtectJob {
    package var context: UnsafeMutablePointer<EgressContext>
    /// Packet index ROC << 16 | sequence number, 48 bits (RFC 3711 section 3.3.1).
    package var index: UInt64
    /// Plaintext: anywhere outside the slab, or exactly at `destination + headerLength`.
    package var source: UnsafePointer<UInt8>
    package var destination: UnsafeMutablePointer<UInt8>
    /// SSRC in the header at `destination`.
    package var ssrc: UInt32
    /// Length of fixed header, CSRCs and header extension in bytes: at least 12.
    package var headerLength: UInt32
    /// Length of the plaintext in bytes.
    package var payloadLength: UInt32

    @inlinable
    package init(
        context: UnsafeMutablePointer<EgressContext>, ssrc: UInt32, index: UInt64, source: UnsafePointer<UInt8>,
        destination: UnsafeMutablePointer<UInt8>, headerLength: UInt32, payloadLength: UInt32
    ) {
        self.context = context
        self.index = index
        self.source = source
        self.destination = destination
        self.ssrc = ssrc
        self.headerLength = headerLength
        self.payloadLength = payloadLength
    }

    /// Length of the completed packet in bytes.
    package var protectedLength: Int { Int(headerLength) + Int(payloadLength) + context.pointee.suite.tagLength }
}
