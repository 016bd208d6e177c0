/// Writer of bit fields, most significant bit first, for tests.
package struct BitWriter {
    package private(set) var bytes: [UInt8] = []
    private var count = 0

    package init() {}

    package mutating func flag(_ value: Bool) {
        if count % 8 == 0 { bytes.append(0) }
        if value { bytes[count / 8] |= 0x80 >> UInt8(count % 8) }
        count += 1
    }

    package mutating func bits(_ value: UInt32, _ width: Int) {
        for bit in (0..<width).reversed() { flag(value >> UInt32(bit) & 1 != 0) }
    }

    /// Writes an unsigned Exp-Golomb number (ITU-T H.264 section 9.1).
    /// - Precondition: `value` is not the maximum.
    package mutating func number(_ value: UInt32) {
        let width = 32 - (value + 1).leadingZeroBitCount
        bits(0, width - 1)
        bits(value + 1, width)
    }

    /// Writes a number of a set of `count` values, `ns(n)` (AV1 bitstream specification, section 4.10.7).
    package mutating func nonSymmetric(_ value: UInt32, _ count: UInt32) {
        let width = 32 - count.leadingZeroBitCount
        let threshold = UInt32(1) << UInt32(width) - count
        if value < threshold { bits(value, width - 1) } else { bits(value + threshold, width) }
    }

    package mutating func signed(_ value: Int) {
        number(UInt32(value > 0 ? 2 * value - 1 : -2 * value))
    }
}
