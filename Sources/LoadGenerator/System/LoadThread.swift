import CLinuxNet
import MediaBase
import MediaEngine
import NIOConcurrencyHelpers
import Synchronization

/// Thread of the generator: waits on descriptors, measures its own usage, and can be woken and stopped from other threads. Started at
/// most once; the owner must keep it as long as it runs.
final class LoadThread: Sendable {
    let name: String
    /// Event that is readable after `wake` or `stop`, until `clear`.
    let event = millrace_event_open()
    private let state: NIOLockedValueBox<State>
    private let stopping = Atomic<Bool>(false)
    private let running = ConditionLock(value: false)

    private struct State {
        var usage: ThreadUsage
        var failure: LoadError?
    }

    /// - Parameter name: `top -H` shows at most 15 characters.
    init(name: String) {
        self.name = name
        state = NIOLockedValueBox(State(usage: ThreadUsage(name: name)))
    }

    deinit { millrace_close(event) }

    var usage: ThreadUsage { state.withLockedValue { $0.usage } }
    /// Error that ended the thread early.
    var failure: LoadError? { state.withLockedValue { $0.failure } }

    /// - Parameter body: must return soon after `isStopping` becomes true, and call the meter's `sample` in each turn of its loop.
    func start(_ body: @escaping @Sendable (inout ThreadMeter) throws -> Void) throws(LoadError) {
        set(running: true)
        let code = DetachedThread.run(String(name.prefix(15))) { [self] in
            var meter = makeMeter()
            do { try body(&meter) } catch {
                state.withLockedValue { $0.failure = error as? LoadError ?? .media("\(name): \(error)") }
            }
            meter.finish()
            set(running: false)
        }
        guard code == 0 else {
            set(running: false)
            throw .system(call: "pthread_create", errno: code)
        }
    }

    private func makeMeter() -> ThreadMeter {
        ThreadMeter(name: name) { [self] usage in state.withLockedValue { $0.usage = usage } }
    }

    /// Starts a thread that calls a function at regular times.
    /// - Parameter prepare: runs on the thread and returns the function to call at each due time, with the number of due times that were
    ///   skipped because the previous call took too long: a slow machine makes fewer frames, not a queue of late work.
    func start(
        every interval: MediaTime, _ prepare: @escaping @Sendable () throws -> (_ skipped: Int64) throws -> Void
    ) throws(LoadError) {
        try start { [self] meter in
            let step = try prepare()
            // The preparation is not part of the load.
            meter = makeMeter()
            var due = LoadClock.now
            while !isStopping {
                let late = LoadClock.now - due
                guard late >= 0 else {
                    wait(-late)
                    continue
                }
                let skipped = late / interval.rawValue
                due += (skipped + 1) * interval.rawValue
                try step(skipped)
                meter.sample(now: LoadClock.now)
            }
        }
    }

    /// Waits, on the thread itself, for `wake`, `stop` or the end of a time in nanoseconds.
    func wait(_ time: Int64) {
        var fd = event
        if millrace_wait(&fd, 1, time) > 0 { clear() }
    }

    func wake() { millrace_event_signal(event) }
    func clear() { millrace_event_clear(event) }
    var isStopping: Bool { stopping.load(ordering: .acquiring) }

    /// Tells the thread to end, and waits until it has ended.
    func stop() {
        stopping.store(true, ordering: .releasing)
        wake()
        running.lock(whenValue: false)
        running.unlock()
    }

    private func set(running isRunning: Bool) {
        running.lock()
        running.unlock(withValue: isRunning)
    }
}
