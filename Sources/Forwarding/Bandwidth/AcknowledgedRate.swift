/// What of the sent bits came, by the peer's clock: bytes in slots of 50 ms.
struct AcknowledgedRate {
    /// Microseconds.
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
            bytes[place(slot)] = Int32(truncatingIfNeeded: count)
            return
        }
        if slot > newest {
            if slot - newest >= Int64(Self.slots) {
                // A pause, or a step of the peer's clock: begin again.
                bytes = .init(repeating: 0)
                oldest = slot
            } else {
                for empty in (newest + 1)...slot { bytes[place(empty)] = 0 }
            }
            self.newest = slot
        } else if slot <= newest - Int64(Self.slots) {
            return
        }
        // A peer may put everything into one slot: 2 GiB are as much as it counts.
        bytes[place(slot)] = Int32(clamping: Int64(bytes[place(slot)]) + Int64(count))
    }

    /// Bits a second over the latest `slots` slots that are over; nil before there are so many.
    func bitsPerSecond(slots count: Int) -> Double? {
        guard let newest, newest - oldest >= Int64(count) else { return nil }
        var sum: Int64 = 0
        for back in 1...count { sum += Int64(bytes[place(newest - Int64(back))]) }
        return Double(sum) * 8 * 1_000_000 / Double(Self.slot * Int64(count))
    }

    private func place(_ slot: Int64) -> Int { Int(slot & Int64(Self.slots - 1)) }
}

extension Int64 {
    /// Division that rounds down.
    func floored(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
