/// Reader of bit fields, most significant bit first, as in the headers of H.264, VP9 and AV1.
struct BitReader {
    private let bytes: UnsafeRawBufferPointer
    private let field: RTPField
    /// Whether a byte 3 after two zero bytes is left out (ITU-T H.264 section 7.4.1).
    private let skipsEmulationPrevention: Bool
    /// Position of the next byte.
    private var offset = 0
    private var current: UInt8 = 0
    /// Bits of `current` that are not yet read.
    private var remaining: UInt8 = 0
    /// Zero bytes before `offset`.
    private var zeros = 0

    /// - Parameters:
    ///   - bytes: must outlive this value.
    ///   - field: named by the errors.
    init(_ bytes: UnsafeRawBufferPointer, field: RTPField, skipsEmulationPrevention: Bool = false) {
        self.bytes = bytes
        self.field = field
        self.skipsEmulationPrevention = skipsEmulationPrevention
    }

    /// Number of bits that are not yet read. Bytes that are left out count.
    var bitsLeft: Int { (bytes.count - offset) * 8 + Int(remaining) }

    mutating func flag() throws(RTPError) -> Bool {
        if remaining == 0 { try load() }
        remaining &-= 1
        return current >> remaining & 1 != 0
    }

    /// Returns an unsigned number.
    /// - Parameter count: number of bits, 0...32.
    mutating func bits(_ count: Int) throws(RTPError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<count { value = value << 1 | (try flag() ? 1 : 0) }
        return value
    }

    mutating func skip(_ count: Int) throws(RTPError) {
        for _ in 0..<count { _ = try flag() }
    }

    /// Returns an unsigned Exp-Golomb number, `ue(v)` (ITU-T H.264 section 9.1).
    /// - Throws: `invalid` if it exceeds `maximum`.
    mutating func exponentialGolomb(maximum: UInt32) throws(RTPError) -> UInt32 {
        let value = try prefixedNumber()
        guard value <= maximum else { throw .invalid(field) }
        return value
    }

    /// Returns a signed Exp-Golomb number, `se(v)` (ITU-T H.264 section 9.1.1).
    mutating func signedExponentialGolomb() throws(RTPError) -> Int {
        let value = Int(try prefixedNumber())
        return value & 1 == 0 ? -(value / 2) : (value + 1) / 2
    }

    /// Returns a number whose length is given by the zero bits before it: `ue(v)` of H.264, `uvlc()` of AV1.
    /// - Throws: `invalid` if it exceeds 32 bits.
    mutating func prefixedNumber() throws(RTPError) -> UInt32 {
        var zeros = 0
        while try !flag() {
            zeros += 1
            guard zeros < 32 else { throw .invalid(field) }
        }
        return (UInt32(1) << UInt32(zeros)) - 1 + (try bits(zeros))
    }

    /// Returns a number of a set of `count` values, `ns(n)` (AV1 bitstream specification, section 4.10.7): values below a threshold take one
    /// bit less.
    /// - Precondition: `count` is 1...2^31.
    mutating func nonSymmetric(_ count: UInt32) throws(RTPError) -> UInt32 {
        let width = 32 - count.leadingZeroBitCount
        let threshold = UInt32((UInt64(1) << UInt64(width)) - UInt64(count))
        let value = try bits(width - 1)
        guard value >= threshold else { return value }
        return value << 1 - threshold + (try flag() ? 1 : 0)
    }

    private mutating func load() throws(RTPError) {
        if skipsEmulationPrevention, zeros >= 2, offset < bytes.count, bytes[offset] == 3 {
            offset += 1
            zeros = 0
        }
        guard offset < bytes.count else { throw .truncated(field) }
        current = bytes[offset]
        offset += 1
        remaining = 8
        zeros = current == 0 ? zeros + 1 : 0
    }
}
