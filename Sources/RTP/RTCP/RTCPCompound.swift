/// Packets of one RTCP datagram, in order (RFC 3550 section 6.1). Accepts reduced-size datagrams, which may begin with any packet
/// type (RFC 5506). Allocates nothing; valid only as long as the datagram's memory.
package struct RTCPCompound: Sequence, IteratorProtocol {
    private let datagram: UnsafeRawBufferPointer
    private var offset = 0

    /// Checks that whole packets fill the datagram and that only the last is padded (RFC 3550 appendix A.2), so that iteration
    /// cannot fail.
    package init(parsing datagram: UnsafeRawBufferPointer) throws(RTPError) {
        self.datagram = datagram
        guard datagram.count >= 4 else { throw .truncated(.rtcpHeader) }
        var offset = 0
        while offset < datagram.count {
            let packet = try RTCPPacket(parsing: UnsafeRawBufferPointer(rebasing: datagram[offset...]))
            let isPadded = packet.length != packet.body.count + 4
            offset += packet.length
            guard !isPadded || offset == datagram.count else { throw .invalid(.rtcpPadding) }
        }
    }

    package mutating func next() -> RTCPPacket? {
        guard offset < datagram.count,
            let packet = try? RTCPPacket(parsing: UnsafeRawBufferPointer(rebasing: datagram[offset...]))
        else { return nil }
        offset += packet.length
        return packet
    }
}
