import Foundation

/// Counts of a `JournalWriter`, shared by its callers and its thread.
final class JournalWriterState: @unchecked Sendable {
    private let lock = NSLock()
    private var waiting = 0
    private var lostEntries: UInt64 = 0
    private var isLosing = false

    var lost: UInt64 { lock.withLock { lostEntries } }

    /// Takes an entry that waits for the disk from now on.
    /// - Returns: false if too many wait.
    func begin(maximum: Int) -> Bool {
        lock.withLock {
            guard waiting < maximum else { return false }
            waiting += 1
            return true
        }
    }

    /// Notes that an entry waits no longer.
    func end(isLost: Bool) {
        lock.withLock {
            waiting -= 1
            if !isLost { isLosing = false }
        }
    }

    /// Counts the loss of an entry.
    /// - Returns: whether it is the first one since an entry was written.
    func lose() -> Bool {
        lock.withLock {
            lostEntries &+= 1
            defer { isLosing = true }
            return !isLosing
        }
    }
}
