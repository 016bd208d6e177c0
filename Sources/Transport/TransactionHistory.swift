import STUN

/// Transactions of a peer's authenticated requests. A copy of a request authenticates as well, but must not move media.
///
/// Keeps 32 bits of each of the last 4,096 transactions: hours of consent checks in 16 KiB. Two transactions of a call agree in these bits
/// about once in a million checks, and then only that one check is ignored.
struct TransactionHistory: Sendable {
    static let capacity = 4_096

    /// Grows during the call, so that a call that is never established costs little memory.
    private var seen: [UInt32] = []
    private var next = 0

    /// Adds a transaction. Returns false if it is already present.
    mutating func insert(_ transaction: STUNTransactionID) -> Bool {
        let low = transaction.low
        let mark = transaction.high ^ UInt32(truncatingIfNeeded: low >> 32) ^ UInt32(truncatingIfNeeded: low)
        guard !seen.contains(mark) else { return false }
        if seen.count < Self.capacity {
            seen.append(mark)
        } else {
            seen[next] = mark
            next = (next + 1) % Self.capacity
        }
        return true
    }
}
