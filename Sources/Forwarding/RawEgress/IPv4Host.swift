package import MediaBase

/// IPv4 address without a port.
package struct IPv4Host: RawRepresentable, Hashable, Sendable {
    /// The four bytes as a number: 10.0.0.1 is 0x0a00_0001.
    package var rawValue: UInt32
    /// 0.0.0.0, which leaves the choice of an address to the kernel.
    package static let any = IPv4Host(rawValue: 0)

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Takes the host of a socket address; nil if that is not IPv4.
    package init?(_ address: SocketAddress) {
        guard address.length == 16 else { return nil }
        rawValue = address.withKernelBytes { UInt32(bigEndian: $0.loadUnaligned(fromByteOffset: 4, as: UInt32.self)) }
    }

    /// Reads four bytes in network order; nil if there are not four.
    init?(bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 4 else { return nil }
        rawValue = UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))
    }
}
