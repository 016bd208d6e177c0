/// Attributes of a netlink message, each a type and a value.
struct NetlinkAttributes: Sequence, IteratorProtocol {
    private static let headerBytes = 4
    private var rest: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

    /// Reads the attributes behind a fixed header; none if the bytes are shorter than that.
    init(_ bytes: UnsafeRawBufferPointer, after header: Int) {
        rest = UnsafeRawBufferPointer(rebasing: bytes[Swift.min(header, bytes.count)...])
    }

    mutating func next() -> (type: UInt16, value: UnsafeRawBufferPointer)? {
        guard rest.count >= Self.headerBytes else { return nil }
        let length = Int(rest.loadUnaligned(as: UInt16.self))
        guard length >= Self.headerBytes, length <= rest.count else { return nil }
        // The upper two bits are flags.
        let type = rest.loadUnaligned(fromByteOffset: 2, as: UInt16.self) & 0x3fff
        let value = UnsafeRawBufferPointer(rebasing: rest[Self.headerBytes..<length])
        rest = UnsafeRawBufferPointer(rebasing: rest[Swift.min(rest.count, Self.aligned(length))...])
        return (type, value)
    }

    /// Rounds a length up to the alignment of messages and attributes.
    static func aligned(_ length: Int) -> Int { (length + 3) & ~3 }

    /// Returns a 32-bit number in the byte order of this machine; nil if the value has another size.
    static func number(_ value: UnsafeRawBufferPointer) -> UInt32? {
        value.count == 4 ? value.loadUnaligned(as: UInt32.self) : nil
    }
}
