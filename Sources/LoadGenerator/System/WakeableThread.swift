import CLinuxNet
import MediaEngine
import NIOConcurrencyHelpers
import Synchronization

/// Thread that waits on descriptors and can be woken and stopped from other threads; the base of every loop of the generator.
/// Started at most once; the owner must keep it as long as the thread runs.
final class WakeableThread: Sendable {
    /// Event that is readable after `wake` or `stop`, until `clear`.
    let event = millrace_event_open()
    private let stopping = Atomic<Bool>(false)
    private let running = ConditionLock(value: false)

    deinit { millrace_close(event) }

    /// - Parameters:
    ///   - name: `top -H` shows at most 15 characters.
    ///   - body: must return soon after `isStopping` becomes true.
    func start(name: String, _ body: @escaping @Sendable () -> Void) throws(LoadError) {
        set(running: true)
        let code = DetachedThread.run(String(name.prefix(15))) { [self] in
            body()
            set(running: false)
        }
        guard code == 0 else {
            set(running: false)
            throw .system(call: "pthread_create", errno: code)
        }
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
