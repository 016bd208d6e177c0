/// Where conversations are stored, and within which bounds.
package struct StorageConfiguration: Hashable, Sendable {
    package static let maximumMegabytesKey = "storage.maximumMegabytes"

    /// The directory; made where it is not there, for this user alone.
    package var directory: String
    /// Largest size of the database file, in MiB; 0: as large as the disk.
    package var maximumMegabytes = 16_384
    /// Looks through the whole file at the start. Seconds for a gigabyte.
    package var checksAtStart = true
    /// How long it waits for another program's lock.
    package var busyTimeout = 2.0
    /// Connections that read at the same time.
    package var readers = 4
    /// Commands that wait for their commit; more are refused.
    package var queue = 4_096
    /// Commands that are committed together, at most.
    package var batch = 256
    /// Rows of users that the commands of one commit touch (`MessagingCommand.cost`, `MessagingOutcome.cost`); the last one may go beyond that.
    package var batchCost = 1_024
    /// Size of the write-ahead log that is moved into the database, in bytes.
    package var checkpointBytes = 32 << 20

    package init(directory: String) {
        self.directory = directory
    }

    package var databasePath: String { directory + "/messages.sqlite" }
    package var lockPath: String { directory + "/messages.lock" }
}
