/// Ethernet header of IPv4 packets, 14 bytes in network order, prepared so that writing it takes two stores.
package struct EthernetHeader: Sendable {
    static let bytes = 14
    /// EtherType of IPv4.
    private static let ipv4: UInt64 = 0x0800
    private let first: UInt64
    private let second: UInt64

    package init(to destination: EthernetAddress, from source: EthernetAddress) {
        first = destination.rawValue << 16 | source.rawValue >> 32
        second = (source.rawValue & 0xffff_ffff) << 32 | Self.ipv4 << 16
    }

    /// Writes the header and two more bytes.
    @inline(__always)
    func write(to raw: UnsafeMutableRawPointer) {
        raw.storeBytes(of: first.bigEndian, as: UInt64.self)
        raw.storeBytes(of: second.bigEndian, toByteOffset: 8, as: UInt64.self)
    }
}
