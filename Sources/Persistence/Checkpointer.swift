import Dispatch
import GRDB
import Synchronization

/// Moves the write-ahead log into the database, beside the writer: within a commit it would make somebody wait for it.
final class Checkpointer: Sendable {
    private let queue: DatabaseQueue
    private let log: String
    private let bytes: Int
    /// Made here, then only started and cancelled.
    private nonisolated(unsafe) let timer: any DispatchSourceTimer
    private let isStopped = Mutex(false)
    private static let interval = DispatchTimeInterval.milliseconds(500)
    /// So many times as long as it is to be the log may become.
    private static let patience = 4

    /// `start` has to follow.
    init(_ configuration: StorageConfiguration) throws {
        var settings = Configuration()
        settings.label = "millrace.messages.checkpoint"
        settings.busyMode = .timeout(configuration.busyTimeout)
        settings.prepareDatabase { db in
            try db.execute(sql: "PRAGMA synchronous = FULL")
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
        }
        queue = try DatabaseQueue(path: configuration.databasePath, configuration: settings)
        log = configuration.databasePath + "-wal"
        bytes = configuration.checkpointBytes
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "millrace.messages.checkpoint.timer"))
        timer.schedule(deadline: .now() + Self.interval, repeating: Self.interval)
    }

    /// - Parameter failed: is told why the log could not be moved; it is tried again at the next turn.
    func start(_ failed: @escaping @Sendable (any Error) -> Void) {
        timer.setEventHandler { [weak self] in self?.run(failed) }
        timer.resume()
    }

    private func run(_ failed: (any Error) -> Void) {
        let size = FileStatus.size(log)
        guard size >= bytes else { return }
        do {
            try queue.writeWithoutTransaction { db in
                // While others write on: the bulk, then what came meanwhile. Where that was all, the next commit begins the log anew.
                try db.checkpoint(.passive)
                try db.checkpoint(.passive)
                guard size >= bytes * Self.patience else { return }
                do {
                    // Writers left no gap for that: they wait, so that it ends at all.
                    try db.checkpoint(.truncate)
                } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                    // Somebody reads or writes for that long: the log begins anew another time.
                }
            }
        } catch {
            guard !isStopped.withLock({ $0 }) else { return }
            failed(error)
        }
    }

    func stop() {
        isStopped.withLock { $0 = true }
        timer.cancel()
        try? queue.close()
    }

    deinit { timer.cancel() }
}
