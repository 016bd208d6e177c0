/// What a store has done since it was opened.
package struct StorageStatistics: Hashable, Sendable {
    /// Commands that were carried out, those that the rules refused included.
    package var commands: UInt64 = 0
    package var commits: UInt64 = 0
    /// Readings, commits and movings of the log that failed, by cause.
    package var failures: [StorageError.Kind: UInt64] = [:]
    /// Messages that were removed because of their age, or because nobody sees them.
    package var removedMessages: UInt64 = 0
    /// Commands that wait for their commit.
    package var waiting = 0
    /// The longest that a batch took, in seconds.
    package var longestCommit = 0.0

    package init() {}
}
