/// Sequence numbers of one epoch that were received lately (RFC 6347 section 4.1.2.6).
struct DTLSReplayWindow {
    private static let size: UInt64 = 64

    /// Highest number so far; nil before the first.
    private var highest: UInt64?
    /// Bit n is set if `highest - n` was received.
    private var seen: UInt64 = 0

    /// Returns false for a number that was received before, or that is too old to tell.
    func isNew(_ sequence: UInt64) -> Bool {
        guard let highest, sequence <= highest else { return true }
        let age = highest - sequence
        return age < Self.size && seen & (1 << age) == 0
    }

    /// Records the number of an authentic record.
    mutating func insert(_ sequence: UInt64) {
        guard let highest, sequence <= highest else {
            let step = sequence - min(highest ?? 0, sequence)
            seen = (step < Self.size ? seen << step : 0) | 1
            return highest = sequence
        }
        let age = highest - sequence
        if age < Self.size { seen |= 1 << age }
    }
}
