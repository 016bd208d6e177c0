internal import Dispatch
internal import GRDB

/// Moves the write-ahead log into the database, beside the writer: within a commit it would make somebody wait for it.
final class Checkpointer: Sendable {
    private let queue: DatabaseQueue
    /// Made here, then only cancelled.
    private nonisolated(unsafe) let timer: any DispatchSourceTimer
    private static let interval = DispatchTimeInterval.milliseconds(500)
    /// So many times as long as it is to be the log may become.
    private static let patience = 4

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
            let size = FileStatus.size(log)
            guard size >= configuration.checkpointBytes else { return }
            try? queue.writeWithoutTransaction { db in
                // While others write on: the bulk, then what came meanwhile. Where that was all, the next commit begins the log anew.
                try db.checkpoint(.passive)
                try db.checkpoint(.passive)
                // Where writers left no gap for that they wait, so that it ends at all.
                if size >= configuration.checkpointBytes * Self.patience { try db.checkpoint(.truncate) }
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
