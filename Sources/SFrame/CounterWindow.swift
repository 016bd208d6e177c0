/// The counters seen lately under one key, so that the relay cannot send an old frame again: the highest, and one bit for each of the
/// 512 below it.
struct CounterWindow {
    /// Frames that may be late and still be accepted.
    static let depth: UInt64 = 512

    private var highest: UInt64?
    private var seen = InlineArray<8, UInt64>(repeating: 0)

    /// Whether a frame of this counter was seen, or is too old to tell.
    func isReplay(_ counter: UInt64) -> Bool {
        guard let highest, counter <= highest else { return false }
        return highest - counter >= Self.depth || seen[Self.word(counter)] >> (counter & 63) & 1 == 1
    }

    /// Notes a frame that authenticated and is no replay.
    mutating func note(_ counter: UInt64) {
        if let highest, counter <= highest {
            seen[Self.word(counter)] |= 1 << (counter & 63)
            return
        }
        // The bits form a ring: those between the old highest counter and the new one belong to an earlier turn.
        let first = highest.map { $0 + 1 } ?? 0
        if highest == nil || counter - first >= Self.depth {
            seen = InlineArray(repeating: 0)
        } else {
            for index in first...counter { seen[Self.word(index)] &= ~(1 << (index & 63)) }
        }
        highest = counter
        seen[Self.word(counter)] |= 1 << (counter & 63)
    }

    private static func word(_ counter: UInt64) -> Int { Int(counter >> 6 & 7) }
}
