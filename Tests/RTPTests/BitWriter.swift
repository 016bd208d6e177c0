/// Writer of bit fields, most significant bit first, for tests.
struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private var count = 0

    mutating func flag(_ value: Bool) {
        if count % 8 == 0 { bytes.append(0) }
        if value { bytes[count / 8] |= 0x80 >> UInt8(count % 8) }
        count += 1
    }

    mutating func bits(_ value: UInt32, _ width: Int) {
        for bit in (0..<width).reversed() { flag(value >> UInt32(bit) & 1 != 0) }
    }

    /// Writes an unsigned Exp-Golomb number (ITU-T H.264 section 9.1).
    /// - Precondition: `value` is not the maximum.
    mutating func number(_ value: UInt32) {
        let width = 32 - (value + 1).leadingZeroBitCount
        bits(0, width - 1)
        bits(value + 1, width)
    }

    mutating func signed(_ value: Int) {
        number(UInt32(value > 0 ? 2 * value - 1 : -2 * value))
    }
}
