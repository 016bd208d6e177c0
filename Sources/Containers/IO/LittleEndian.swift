/// Fixed-width integers in the little-endian order of RIFF, IVF and Ogg.
extension [UInt8] {
    mutating func appendLittleEndian<T: FixedWidthInteger>(_ value: T) {
        for shift in stride(from: 0, to: T.bitWidth, by: 8) { append(UInt8(truncatingIfNeeded: value >> T(shift))) }
    }
}

/// - Precondition: the collection has enough bytes after `offset`.
extension Collection<UInt8> where Index == Int {
    func littleEndian<T: FixedWidthInteger>(_ type: T.Type, at offset: Int) -> T {
        var value: T = 0
        for index in 0..<T.bitWidth / 8 {
            value |= T(truncatingIfNeeded: self[startIndex + offset + index]) << T(8 * index)
        }
        return value
    }
}
