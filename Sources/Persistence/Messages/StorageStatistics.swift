/// Statistics of a store since it was opened.
package struct StorageStatistics: Hashable, Sendable {
    /// Commands that were performed, including refused ones.
    package var commands: UInt64 = 0
    package var commits: UInt64 = 0
    /// Failed reads, commits and checkpoints, by cause.
    package var failures: [StorageError.Kind: UInt64] = [:]
    /// Messages that were removed because of their age or because no user can see them.
    package var removedMessages: UInt64 = 0
    /// Commands that wait for a commit.
    package var waiting = 0
    /// Longest commit in seconds.
    package var longestCommit = 0.0

    package init() {}
}
