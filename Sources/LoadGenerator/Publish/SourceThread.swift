internal import CLinuxNet
internal import MediaBase
import Synchronization

/// The thread of one synthetic source: wakes at regular times until it is stopped, and keeps account of itself.
final class SourceThread: Sendable {
    let name: String
    let usage: Locked<ThreadUsage>
    private let stopping = Atomic<Bool>(false)
    private let event = millrace_event_open()
    private let thread = Locked<LoadThread?>(nil)
    private let failed = Locked<LoadError?>(nil)

    init(name: String) {
        self.name = name
        usage = Locked(ThreadUsage(name: name))
    }

    deinit { millrace_close(event) }

    /// What ended the thread before its time.
    var failure: LoadError? { failed.withLock { $0 } }

    /// - Parameters:
    ///   - interval: from one call to the next.
    ///   - prepare: runs on the thread and gives what is called at each due time, with the number of due times that were left out
    ///     because the call before took too long: a machine that cannot keep up makes less, not a queue of late work.
    func start(
        interval: MediaTime, _ prepare: @escaping @Sendable () throws -> (_ skipped: Int64) throws -> Void
    ) throws(LoadError) {
        let started = try LoadThread(name: name) { [self] in
            do { try run(interval: interval.rawValue, prepare()) } catch {
                failed.withLock { $0 = .media("\(name): \(error)") }
            }
        }
        thread.withLock { $0 = started }
    }

    func stop() {
        stopping.store(true, ordering: .releasing)
        millrace_event_signal(event)
        let running = thread.withLock { thread in
            let running = thread
            thread = nil
            return running
        }
        running?.join()
    }

    private func run(interval: Int64, _ step: (Int64) throws -> Void) throws {
        var meter = ThreadMeter(name: name, publishing: usage)
        defer { meter.finish() }
        var due = LoadClock.now
        while !stopping.load(ordering: .acquiring) {
            let wait = due - LoadClock.now
            if wait > 0 {
                var fd = event
                if millrace_wait(&fd, 1, wait) > 0 { millrace_event_clear(event) }
                continue
            }
            let skipped = -wait / interval
            due += (skipped + 1) * interval
            try step(skipped)
            meter.sample(now: LoadClock.now)
        }
    }
}
