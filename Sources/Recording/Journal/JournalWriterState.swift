import Foundation

/// Counts of a `JournalWriter`, shared by its callers and its thread.
final class JournalWriterState: @unchecked Sendable {
    private let lock = NSLock()
    private var waiting = 0
    private var lostEntries: UInt64 = 0
    private var isLosing = false

    var lost: UInt64 { lock.withLock { lostEntries } }

    /// - Returns: false, and counts a loss, if too many entries wait.
    func begin(maximum: Int) -> Bool {
        lock.withLock {
            guard waiting < maximum else {
                lostEntries &+= 1
                return false
            }
            waiting += 1
            return true
        }
    }

    /// - Returns: whether this is the first loss since an entry was written.
    func end(isLost: Bool) -> Bool {
        lock.withLock {
            waiting -= 1
            if isLost { lostEntries &+= 1 }
            defer { isLosing = isLost }
            return isLost && !isLosing
        }
    }
}
