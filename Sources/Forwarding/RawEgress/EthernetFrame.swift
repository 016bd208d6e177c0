/// Writer of the headers of a frame: the header for the packet socket that asks for offloads (virtio 1.2 section 5.1.6), Ethernet, IPv4 (RFC
/// 791) and UDP (RFC 768).
///
/// The UDP checksum field holds the sum of the pseudo header; the device, or the kernel for it, adds the payload. The identification of
/// IPv4 is 0, which RFC 6864 section 4.1 permits because the packet may not be fragmented.
package enum EthernetFrame {
    /// Bytes of the header for the packet socket.
    package static let offloadBytes = 10
    /// Bytes of Ethernet, IPv4 and UDP headers.
    package static let headerBytes = EthernetHeader.bytes + ipv4Bytes + udpBytes
    /// Bytes of IPv4 and UDP headers, which count towards the MTU.
    package static let packetHeaderBytes = ipv4Bytes + udpBytes
    private static let ipv4Bytes = 20
    private static let udpBytes = 8
    private static let udp: UInt32 = 17

    /// Writes all headers, `offloadBytes + headerBytes` bytes; the payload belongs behind them.
    /// - Parameters:
    ///   - payload: bytes of payload, at most 65,507.
    ///   - segment: bytes of payload of each datagram, if the device must split the frame; else 0.
    @inline(__always)
    package static func writeHeaders(
        _ route: EthernetRoute, from sourcePort: UInt16, to port: UInt16, payload: Int, segment: Int,
        at raw: UnsafeMutableRawPointer
    ) {
        writeOffload(payload: payload, segment: segment, at: raw)
        let ethernet = raw + offloadBytes
        route.ethernet.write(to: ethernet)
        let ipv4 = ethernet + EthernetHeader.bytes
        let addresses = sum(route.source) &+ sum(route.destination)
        let length = UInt32(truncatingIfNeeded: payload &+ udpBytes)
        let total = length &+ UInt32(ipv4Bytes)
        let life = UInt32(route.hopLimit) << 8 | udp
        let header = ~fold(0x4500 &+ total &+ 0x4000 &+ life &+ addresses)
        ipv4.storeBytes(of: (0x4500_0000 | total).bigEndian, as: UInt32.self)
        ipv4.storeBytes(of: UInt32(0x4000).bigEndian, toByteOffset: 4, as: UInt32.self)
        ipv4.storeBytes(of: (life << 16 | UInt32(header)).bigEndian, toByteOffset: 8, as: UInt32.self)
        ipv4.storeBytes(of: route.source.rawValue.bigEndian, toByteOffset: 12, as: UInt32.self)
        ipv4.storeBytes(of: route.destination.rawValue.bigEndian, toByteOffset: 16, as: UInt32.self)
        let ports = UInt32(sourcePort) << 16 | UInt32(port)
        let pseudo = UInt32(fold(addresses &+ udp &+ length))
        ipv4.storeBytes(of: ports.bigEndian, toByteOffset: 20, as: UInt32.self)
        ipv4.storeBytes(of: (length << 16 | pseudo).bigEndian, toByteOffset: 24, as: UInt32.self)
    }

    /// Writes the header that makes the device compute the checksum and, if `segment` is not 0, split the frame. The kernel copies a frame
    /// that is not split as a whole, so that its memory is free when the send call returns.
    @inline(__always)
    private static func writeOffload(payload: Int, segment: Int, at raw: UnsafeMutableRawPointer) {
        let needsChecksum: UInt8 = 1
        let segmentsUDP: UInt8 = 5
        let copied = segment == 0 ? headerBytes &+ payload : headerBytes
        raw.storeBytes(of: needsChecksum, as: UInt8.self)
        raw.storeBytes(of: segment == 0 ? 0 : segmentsUDP, toByteOffset: 1, as: UInt8.self)
        // In the byte order of this machine.
        raw.storeBytes(of: UInt16(truncatingIfNeeded: copied), toByteOffset: 2, as: UInt16.self)
        raw.storeBytes(of: UInt16(truncatingIfNeeded: segment), toByteOffset: 4, as: UInt16.self)
        raw.storeBytes(of: UInt16(EthernetHeader.bytes + ipv4Bytes), toByteOffset: 6, as: UInt16.self)
        raw.storeBytes(of: 6, toByteOffset: 8, as: UInt16.self)
    }

    @inline(__always)
    private static func sum(_ host: IPv4Host) -> UInt32 { host.rawValue >> 16 &+ host.rawValue & 0xffff }

    /// Returns the one's complement sum of 16-bit numbers (RFC 1071) from their ordinary sum.
    @inline(__always)
    private static func fold(_ sum: UInt32) -> UInt16 {
        let once = sum >> 16 &+ sum & 0xffff
        return UInt16(truncatingIfNeeded: once >> 16 &+ once)
    }
}
