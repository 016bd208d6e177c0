/// Location and limits of the conversation store.
package struct StorageConfiguration: Hashable, Sendable {
    package static let maximumMegabytesKey = "storage.maximumMegabytes"

    package enum Location: Hashable, Sendable {
        /// Directory of an SQLite file; created with access for this user only if it does not exist.
        case directory(String)
        /// PostgreSQL database that other relays may use as well, as a connection URI of libpq. It can contain a password.
        case url(String)
    }

    package var location: Location
    /// Largest size of the database file in MiB; 0 for no limit. Does not apply to PostgreSQL.
    package var maximumMegabytes = 16_384
    /// Whether the whole file is checked at startup, which takes seconds per gigabyte.
    package var checksAtStart = true
    /// Seconds to wait for another program's lock.
    package var busyTimeout = 2.0
    /// Number of connections that read concurrently, and with PostgreSQL of threads that do.
    package var readers = 4
    /// Commands that can wait for a commit, and with PostgreSQL those that can wait for each reading connection; further ones are refused.
    package var queue = 4_096
    /// Maximum number of commands in one commit.
    package var batch = 256
    /// Maximum number of rows that the commands of one commit touch (`MessagingCommand.cost`, `MessagingOutcome.cost`);
    /// the last command may exceed it.
    package var batchCost = 1_024
    /// Size of the write-ahead log in bytes from which it is moved into the database.
    package var checkpointBytes = 32 << 20

    package init(_ location: Location) { self.location = location }
    package init(directory: String) { location = .directory(directory) }
    package init(url: String) { location = .url(url) }
}
