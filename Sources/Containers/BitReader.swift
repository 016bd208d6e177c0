/// Reads bit fields, most significant bit first. Past the end it reads zeros and notes it, so that a parser checks once.
struct BitReader {
    private let bytes: [UInt8]
    private var position = 0
    /// Whether more bits were read than there are.
    private(set) var isPastEnd = false

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// - Parameter count: 0 to 32.
    mutating func read(_ count: Int) -> Int {
        var value = 0
        for _ in 0..<count {
            value <<= 1
            if position < bytes.count * 8 {
                value |= Int(bytes[position / 8] >> UInt8(7 - position % 8)) & 1
            } else {
                isPastEnd = true
            }
            position += 1
        }
        return value
    }

    mutating func flag() -> Bool { read(1) == 1 }

    /// Reads an Exp-Golomb code: `ue(v)` of H.264 (ITU-T H.264 section 9.1), `uvlc()` of AV1.
    mutating func expGolomb() -> Int {
        var zeros = 0
        while !flag() {
            zeros += 1
            guard zeros < 32, !isPastEnd else { return 0 }
        }
        return (1 << zeros) - 1 + read(zeros)
    }
}
