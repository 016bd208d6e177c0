import MillraceTestKit

/// Changes bytes without knowledge of a format.
enum ByteMutator {
    /// Values at which lengths, counts and signs change their meaning.
    static let edges: [UInt8] = [0x00, 0x01, 0x7f, 0x80, 0xfe, 0xff]

    /// Changes one to four bytes from `start` on; rarely cuts the end off or adds bytes.
    static func mutate(_ bytes: inout [UInt8], from start: Int = 0, using random: inout SeededGenerator) {
        guard bytes.count > start else { return }
        for _ in 0...random.below(4) {
            let length = bytes.count - start
            // Headers are short and decide most of the parsing, so half of the changes go there.
            let offset = start + (random.below(2) == 0 ? random.below(min(length, 24)) : random.below(length))
            switch random.below(4) {
            case 0: bytes[offset] ^= 1 << UInt8(random.below(8))
            case 1: bytes[offset] = UInt8(truncatingIfNeeded: random.next())
            case 2: bytes[offset] = edges[random.below(edges.count)]
            default: bytes[offset] = bytes[offset] &+ (random.below(2) == 0 ? 1 : 0xff)
            }
        }
        switch random.below(12) {
        case 0: bytes.removeLast(random.below(bytes.count - start))
        case 1: bytes += random.bytes(random.below(48))
        default: break
        }
    }

    /// Returns a number near an edge of its type, or, as often, a random one.
    static func number(bits: Int, using random: inout SeededGenerator) -> UInt64 {
        let mask = bits >= 64 ? UInt64.max : (1 << UInt64(bits)) - 1
        switch random.below(8) {
        case 0: return 0
        case 1: return mask
        case 2: return mask >> 1
        case 3: return (mask >> 1) + 1
        case 4: return UInt64(random.below(4))
        case 5: return mask - UInt64(random.below(4))
        default: return random.next() & mask
        }
    }
}

extension [UInt8] {
    /// Appends the lowest `count` bytes of `value` in network order.
    mutating func append(_ value: UInt64, bytes count: Int) {
        for index in (0..<count).reversed() { append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index))) }
    }

    /// Overwrites two bytes in network order.
    mutating func set(_ value: Int, at offset: Int) {
        guard offset + 2 <= count else { return }
        self[offset] = UInt8(truncatingIfNeeded: value >> 8)
        self[offset + 1] = UInt8(truncatingIfNeeded: value)
    }
}
