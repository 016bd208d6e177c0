import STUN

/// The transactions that a peer's authentic requests were seen with, so that a copy of one, which authenticates as well, moves nothing.
///
/// It keeps 32 bits of each of the last 4,096: hours of consent checks in 16 KiB. That two transactions of a call agree in them happens
/// once in a million checks and costs no more than that one check.
struct TransactionHistory: Sendable {
    static let capacity = 4_096

    /// Grows with the call, as a call that never comes about is to cost little.
    private var seen: [UInt32] = []
    private var next = 0

    /// Adds a transaction; false where it is there already.
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
