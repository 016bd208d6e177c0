import CLinuxNet
import MediaBase
import NIOConcurrencyHelpers

/// Thread of one synthetic source: wakes at regular times until it is stopped, and measures its own load.
final class SourceThread: Sendable {
    let name: String
    let usage: NIOLockedValueBox<ThreadUsage>
    private let loop = WakeableThread()
    private let failed = NIOLockedValueBox<LoadError?>(nil)

    init(name: String) {
        self.name = name
        usage = NIOLockedValueBox(ThreadUsage(name: name))
    }

    /// Error that ended the thread early.
    var failure: LoadError? { failed.withLockedValue { $0 } }

    /// - Parameters:
    ///   - interval: time from one call to the next.
    ///   - prepare: runs on the thread and returns the function to call at each due time, with the number of due times that were skipped
    ///     because the previous call took too long: a slow machine makes fewer frames, not a queue of late work.
    func start(
        interval: MediaTime, _ prepare: @escaping @Sendable () throws -> (_ skipped: Int64) throws -> Void
    ) throws(LoadError) {
        try loop.start(name: name) { [self] in
            do { try run(interval: interval.rawValue, prepare()) } catch {
                failed.withLockedValue { $0 = .media("\(name): \(error)") }
            }
        }
    }

    func stop() {
        loop.stop()
    }

    private func run(interval: Int64, _ step: (Int64) throws -> Void) throws {
        var meter = ThreadMeter(name: name, publishing: usage)
        defer { meter.finish() }
        var due = LoadClock.now
        while !loop.isStopping {
            let wait = due - LoadClock.now
            if wait > 0 {
                var fd = loop.event
                if millrace_wait(&fd, 1, wait) > 0 { loop.clear() }
                continue
            }
            let skipped = -wait / interval
            due += (skipped + 1) * interval
            try step(skipped)
            meter.sample(now: LoadClock.now)
        }
    }
}
