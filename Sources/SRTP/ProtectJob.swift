/// One RTP packet to be protected for one subscriber.
///
/// The header is already at `destination`; the payload is encrypted from `source` to just behind it and the tag follows.
/// Nothing is written past `destination + headerLength + payloadLength + tagLength`, so that packets may touch in a slab.
package struct ProtectJob {
    package var leg: UnsafeMutablePointer<EgressLeg>
    /// Packet index ROC << 16 | sequence number, 48 bits (RFC 3711 section 3.3.1).
    package var index: UInt64
    /// The plaintext: anywhere outside the slab, or exactly `destination + headerLength`.
    package var source: UnsafePointer<UInt8>
    package var destination: UnsafeMutablePointer<UInt8>
    /// SSRC in the header at `destination`.
    package var ssrc: UInt32
    /// Bytes of fixed header, CSRCs and extension: at least 12.
    package var headerLength: UInt32
    /// Bytes at `source`.
    package var payloadLength: UInt32

    @inlinable
    package init(
        leg: UnsafeMutablePointer<EgressLeg>, ssrc: UInt32, index: UInt64, source: UnsafePointer<UInt8>,
        destination: UnsafeMutablePointer<UInt8>, headerLength: UInt32, payloadLength: UInt32
    ) {
        self.leg = leg
        self.index = index
        self.source = source
        self.destination = destination
        self.ssrc = ssrc
        self.headerLength = headerLength
        self.payloadLength = payloadLength
    }

    /// Bytes of the finished packet.
    package var protectedLength: Int { Int(headerLength) + Int(payloadLength) + leg.pointee.suite.tagLength }
}
