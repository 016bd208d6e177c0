internal import Dispatch
internal import GRDB

/// Moves the write-ahead log into the database, beside the writer: within a commit it would make somebody wait for it.
final class Checkpointer: Sendable {
    private let queue: DatabaseQueue
    /// Made here, then only cancelled.
    private nonisolated(unsafe) let timer: any DispatchSourceTimer
    private static let interval = DispatchTimeInterval.milliseconds(500)

    init(_ configuration: StorageConfiguration) throws {
        var settings = Configuration()
        settings.label = "millrace.messages.checkpoint"
        settings.busyMode = .timeout(configuration.busyTimeout)
        settings.prepareDatabase { db in
            try db.execute(sql: "PRAGMA synchronous = FULL")
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
        }
        let queue = try DatabaseQueue(path: configuration.databasePath, configuration: settings)
        self.queue = queue
        let log = configuration.databasePath + "-wal"
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "millrace.messages.checkpoint.timer"))
        timer.schedule(deadline: .now() + Self.interval, repeating: Self.interval)
        timer.setEventHandler {
            guard FileStatus.size(log) >= configuration.checkpointBytes else { return }
            try? queue.writeWithoutTransaction { db in
                // The bulk while others write on; then the rest, for which they wait, and the log begins anew.
                try db.checkpoint(.passive)
                try db.checkpoint(.truncate)
            }
        }
        self.timer = timer
        timer.resume()
    }

    func stop() {
        timer.cancel()
        try? queue.close()
    }

    deinit { timer.cancel() }
}
