/// Rate at which sent packets arrived, by the peer's clock: bytes in slots of 50 ms.
struct AcknowledgedRate {
    /// Length of a slot in microseconds.
    private static let slot: Int64 = 50_000
    private static let slots = 16

    private var bytes = InlineArray<16, Int32>(repeating: 0)
    private var newest: Int64?
    private var oldest: Int64 = 0

    mutating func add(bytes count: Int, arrival: Int64) {
        let slot = arrival.floored(by: Self.slot)
        guard let newest else {
            self.newest = slot
            oldest = slot
            bytes[index(of: slot)] = Int32(truncatingIfNeeded: count)
            return
        }
        if slot > newest {
            if slot - newest >= Int64(Self.slots) {
                // After a pause or a jump of the peer's clock, the measurement restarts.
                bytes = .init(repeating: 0)
                oldest = slot
            } else {
                for empty in (newest + 1)...slot { bytes[index(of: empty)] = 0 }
            }
            self.newest = slot
        } else if slot <= newest - Int64(Self.slots) {
            return
        }
        // A peer may report all packets in one slot, whose count saturates at 2 GiB.
        bytes[index(of: slot)] = Int32(clamping: Int64(bytes[index(of: slot)]) + Int64(count))
    }

    /// Returns the bits per second over the latest `count` completed slots, or nil before there are as many.
    func bitsPerSecond(slots count: Int) -> Double? {
        guard let newest, newest - oldest >= Int64(count) else { return nil }
        var sum: Int64 = 0
        for back in 1...count { sum += Int64(bytes[index(of: newest - Int64(back))]) }
        return Double(sum) * 8 * 1_000_000 / Double(Self.slot * Int64(count))
    }

    private func index(of slot: Int64) -> Int { Int(slot & Int64(Self.slots - 1)) }
}

extension Int64 {
    /// Returns the quotient rounded down.
    func floored(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
