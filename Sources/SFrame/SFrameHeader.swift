/// The header of an SFrame ciphertext (RFC 9605 section 4.3): key id and counter, each in as few bytes as possible, behind a byte that
/// holds their lengths.
public struct SFrameHeader: Hashable, Sendable {
    public var keyID: UInt64
    public var counter: UInt64

    /// Bytes of the longest header.
    public static let maximumLength = 17

    public init(keyID: UInt64, counter: UInt64) {
        self.keyID = keyID
        self.counter = counter
    }

    /// Reads a header from the start of `bytes`.
    ///
    /// - Returns: the header and its length in bytes, or nil if `bytes` ends before the header does. RFC 9605 requires the shortest
    ///   encoding; a longer one is nil too, so that a frame has exactly one encoding.
    public static func read(_ bytes: UnsafeRawBufferPointer) -> (header: SFrameHeader, length: Int)? {
        guard let config = bytes.first else { return nil }
        var position = 1
        guard let keyID = readField(config >> 4, bytes, &position),
            let counter = readField(config & 0xf, bytes, &position)
        else { return nil }
        return (SFrameHeader(keyID: keyID, counter: counter), position)
    }

    /// Bytes that `write` writes.
    public var length: Int { 1 + Self.fieldLength(keyID) + Self.fieldLength(counter) }

    /// Writes `length` bytes to the start of `destination`, which must have room for them.
    public func write(to destination: UnsafeMutableRawBufferPointer) {
        var position = 1
        let upper = Self.writeField(keyID, destination, &position)
        let lower = Self.writeField(counter, destination, &position)
        destination[0] = upper << 4 | lower
    }

    // A field's four bits are the value itself if it is below 8; otherwise the highest bit is set and the others hold the length of the
    // value in bytes, less one.

    private static func fieldLength(_ value: UInt64) -> Int {
        value < 8 ? 0 : 8 - value.leadingZeroBitCount / 8
    }

    private static func readField(_ bits: UInt8, _ bytes: UnsafeRawBufferPointer, _ position: inout Int) -> UInt64? {
        guard bits & 0b1000 != 0 else { return UInt64(bits) }
        let length = Int(bits & 0b111) + 1
        guard bytes.count - position >= length else { return nil }
        let value = bytes[position..<position + length].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        position += length
        return fieldLength(value) == length ? value : nil
    }

    private static func writeField(_ value: UInt64, _ bytes: UnsafeMutableRawBufferPointer, _ position: inout Int)
        -> UInt8
    {
        let length = fieldLength(value)
        guard length > 0 else { return UInt8(value) }
        for index in 0..<length {
            bytes[position + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * (length - 1 - index)))
        }
        position += length
        return 0b1000 | UInt8(length - 1)
    }
}
