// Bounds-checked big-endian loads, and big-endian appends.

extension UnsafeRawBufferPointer {
    func u16(_ offset: Int) -> UInt16 { UInt16(self[offset]) << 8 | UInt16(self[offset + 1]) }
    func u32(_ offset: Int) -> UInt32 { UInt32(u16(offset)) << 16 | UInt32(u16(offset + 2)) }
    func u64(_ offset: Int) -> UInt64 { UInt64(u32(offset)) << 32 | UInt64(u32(offset + 4)) }
}

extension [UInt8] {
    mutating func appendBigEndian<Value: FixedWidthInteger>(_ value: Value) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }

    /// Appends one attribute: type, length, the bytes that `value` appends, and zero padding to a multiple of 32 bits.
    mutating func appendAttribute(_ type: STUNAttributeType, _ value: (inout [UInt8]) -> Void) {
        appendBigEndian(type.rawValue)
        appendBigEndian(UInt16(0))
        let start = count
        value(&self)
        let length = count - start
        precondition(length <= 0xffff, "a STUN attribute holds at most 65,535 bytes")
        self[start - 2] = UInt8(truncatingIfNeeded: length >> 8)
        self[start - 1] = UInt8(truncatingIfNeeded: length)
        while count & 3 != 0 { append(0) }
    }
}
