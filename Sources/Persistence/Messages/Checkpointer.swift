import Dispatch
import GRDB
import Synchronization

/// Moves the write-ahead log into the database on a connection of its own, so that no commit waits for it.
final class Checkpointer: Sendable {
    private let queue: DatabaseQueue
    private let log: String
    private let bytes: Int
    /// Created in `init`, then only started and cancelled.
    private nonisolated(unsafe) let timer: any DispatchSourceTimer
    private let isStopped = Mutex(false)
    /// Whether the timer runs, because something was written.
    private let isScheduled = Mutex(false)
    private static let interval = DispatchTimeInterval.milliseconds(500)
    /// Factor of `checkpointBytes` from which a checkpoint makes writers wait.
    private static let patience = 4

    /// Opens a connection; `start` must follow.
    init(_ path: String, _ configuration: StorageConfiguration) throws {
        var settings = Configuration()
        settings.label = "millrace.messages.checkpoint"
        settings.busyMode = .timeout(configuration.busyTimeout)
        settings.prepareDatabase { db in
            try db.execute(sql: "PRAGMA synchronous = FULL")
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
        }
        queue = try DatabaseQueue(path: path, configuration: settings)
        log = path + "-wal"
        bytes = configuration.checkpointBytes
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "millrace.messages.checkpoint.timer"))
        timer.schedule(deadline: .distantFuture)
    }

    /// - Parameter failed: receives the error of a failed checkpoint; the next one is tried after the interval.
    func start(_ failed: @escaping @Sendable (any Error) -> Void) {
        timer.setEventHandler { [weak self] in self?.run(failed) }
        timer.resume()
        noteWrite()
    }

    /// Schedules a check of the log's size, unless one is scheduled. Without writes there are no checks.
    func noteWrite() {
        let isFirst = isScheduled.withLock { isScheduled in
            defer { isScheduled = true }
            return !isScheduled
        }
        if isFirst { timer.schedule(deadline: .now() + Self.interval) }
    }

    private func run(_ failed: (any Error) -> Void) {
        isScheduled.withLock { $0 = false }
        let size = FileStatus.size(log)
        guard size >= bytes else { return }
        do {
            try queue.writeWithoutTransaction { db in
                // Runs while others write: first most of the log, then the part written during that. If both moved
                // everything, the next commit restarts the log.
                try db.checkpoint(.passive)
                try db.checkpoint(.passive)
                guard size >= bytes * Self.patience else { return }
                do {
                    // Writers never left a gap, so this checkpoint makes them wait to bound the log.
                    try db.checkpoint(.truncate)
                } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                    // A read or write took longer than the timeout; the log is restarted later.
                    noteWrite()
                }
            }
        } catch {
            guard !isStopped.withLock({ $0 }) else { return }
            noteWrite()
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
