/// Variable-length numbers of AV1, `leb128` (AV1 bitstream specification, section 4.10.5): 7 bits in each byte, the lowest first; the highest
/// bit of a byte announces another one.
package enum AV1Number {
    /// Maximum length in bytes.
    static let maximumLength = 8

    /// Reads a number and advances `offset` behind it.
    /// - Throws: if `bytes` end before the number, or it exceeds 32 bits.
    package static func read<Bytes: RandomAccessCollection>(
        _ bytes: Bytes, _ offset: inout Int, field: RTPField
    ) throws(RTPError) -> Int where Bytes.Element == UInt8, Bytes.Index == Int {
        var value: UInt64 = 0
        for index in 0..<maximumLength {
            guard offset < bytes.endIndex else { throw .truncated(field) }
            let byte = bytes[offset]
            offset += 1
            value |= UInt64(byte & 0x7f) << UInt64(7 * index)
            guard byte & 0x80 != 0 else {
                guard value <= UInt64(UInt32.max) else { throw .invalid(field) }
                return Int(value)
            }
        }
        throw .invalid(field)
    }

    /// Returns the shortest form of a number.
    /// - Precondition: `value` is not negative.
    static func bytes(_ value: Int) -> [UInt8] {
        precondition(value >= 0)
        var rest = UInt64(value)
        var bytes: [UInt8] = []
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
        return bytes
    }
}
