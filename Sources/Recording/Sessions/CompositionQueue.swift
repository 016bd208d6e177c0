import Glibc
import MediaEngine
import Synchronization

/// Composes the files of recorded sessions, one session after another, on a thread that has a low priority and ends when there is
/// nothing to do.
final class CompositionQueue: Sendable {
    /// Maximum sessions that wait. A recording is not stopped by a slow disk; `millrace compose` makes the file later.
    static let maximumWaiting = 1_000
    /// Number of ended compositions that are kept.
    static let maximumKept = 100
    /// Niceness of the thread: media comes first.
    private static let niceness: Int32 = 10

    private struct Values {
        var waiting: [Composition] = []
        var current: Composition?
        var ended: [Composition] = []
        var counts = CompositionCounts()
        var isRunning = false
        var isStopped = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let values = Mutex(Values())
    private let observer: @Sendable (Composition) -> Void

    /// - Parameter observer: called from the queue's thread for each composition that has ended; must not block.
    init(observer: @escaping @Sendable (Composition) -> Void) {
        self.observer = observer
    }

    /// All compositions: ended ones first, oldest first.
    var compositions: [Composition] {
        values.withLock { values in values.ended + [values.current].compactMap { $0 } + values.waiting }
    }

    var counts: CompositionCounts {
        values.withLock { values in
            var counts = values.counts
            counts.open = values.waiting.count + (values.current == nil ? 0 : 1)
            return counts
        }
    }

    /// Composes a session when the earlier ones are done.
    func add(_ composition: Composition) {
        let refused: String? = values.withLock { values in
            if values.isStopped { return "the relay is shutting down" }
            guard values.waiting.count < Self.maximumWaiting else {
                return "\(Self.maximumWaiting) sessions wait already"
            }
            values.waiting.append(composition)
            return nil
        }
        if let refused { return end(composition, error: refused) }
        start()
    }

    /// Interrupts the composition in progress, refuses those that wait, and returns when the thread has ended.
    func stop() async {
        let refused = values.withLock { values in
            values.isStopped = true
            defer { values.waiting = [] }
            return values.waiting
        }
        for composition in refused { end(composition, error: "the relay is shutting down") }
        await withCheckedContinuation { waiter in
            let isOver = values.withLock { values in
                if values.isRunning { values.waiters.append(waiter) }
                return !values.isRunning
            }
            if isOver { waiter.resume() }
        }
    }

    private func start() {
        let isNew = values.withLock { values in
            defer { values.isRunning = true }
            return !values.isRunning
        }
        guard isNew else { return }
        let code = DetachedThread.run("composer") { [self] in run() }
        guard code != 0 else { return }
        let (refused, waiters) = values.withLock { values in
            values.isRunning = false
            defer { (values.waiting, values.waiters) = ([], []) }
            return (values.waiting, values.waiters)
        }
        for composition in refused { end(composition, error: "cannot start a thread (errno \(code))") }
        for waiter in waiters { waiter.resume() }
    }

    private func run() {
        // On Linux this is the priority of the calling thread alone.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Self.niceness)
        while let composition = next() { compose(composition) }
    }

    /// Returns the next composition; nil when the thread has to end.
    private func next() -> Composition? {
        let (next, waiters) = values.withLock { values -> (Composition?, [CheckedContinuation<Void, Never>]) in
            guard !values.waiting.isEmpty else {
                values.isRunning = false
                defer { values.waiters = [] }
                return (nil, values.waiters)
            }
            var next = values.waiting.removeFirst()
            next.phase = .composing
            values.current = next
            return (next, [])
        }
        for waiter in waiters { waiter.resume() }
        return next
    }

    private func compose(_ composition: Composition) {
        do throws(ComposeError) {
            let composer = try SessionComposer(
                folder: composition.folder, output: composition.output, from: composition.from)
            let report = try composer.run(isInterrupted: { values.withLock { $0.isStopped } })
            var done = composition
            done.phase = .composed
            done.bytes = report.bytes
            done.duration = report.duration
            done.warnings = report.warnings.count
            end(done)
        } catch {
            end(composition, error: error.description)
        }
    }

    private func end(_ composition: Composition, error: String) {
        var failed = composition
        failed.phase = .failed
        failed.error = error
        end(failed)
    }

    private func end(_ composition: Composition) {
        values.withLock { values in
            if values.current?.output == composition.output { values.current = nil }
            if composition.phase == .composed { values.counts.composed += 1 } else { values.counts.failed += 1 }
            values.ended.append(composition)
            if values.ended.count > Self.maximumKept { values.ended.removeFirst() }
        }
        observer(composition)
    }
}
