/// Hardware address of an Ethernet device: six bytes, the first one in bits 40 to 47.
package struct EthernetAddress: RawRepresentable, Hashable, Sendable {
    package var rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue & 0xffff_ffff_ffff }

    /// Reads six bytes; nil if there are not six, or if they are all zero or name a group of devices.
    init?(bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 6 else { return nil }
        self.init(rawValue: bytes.reduce(0) { $0 << 8 | UInt64($1) })
        guard rawValue != 0, rawValue & 1 << 40 == 0 else { return nil }
    }
}
