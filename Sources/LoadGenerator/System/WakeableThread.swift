import CLinuxNet
import Synchronization

/// Thread that waits on descriptors and can be woken and stopped from other threads; the base of every loop of the generator.
/// Started at most once; the owner must keep it as long as the thread runs.
final class WakeableThread: Sendable {
    /// Event that is readable after `wake` or `stop`, until `clear`.
    let event = millrace_event_open()
    private let stopping = Atomic<Bool>(false)
    private let thread = Locked<LoadThread?>(nil)

    deinit { millrace_close(event) }

    /// - Parameter body: must return soon after `isStopping` becomes true.
    func start(name: String, _ body: @escaping @Sendable () -> Void) throws(LoadError) {
        let started = try LoadThread(name: name, body)
        thread.withLock { $0 = started }
    }

    func wake() { millrace_event_signal(event) }
    func clear() { millrace_event_clear(event) }
    var isStopping: Bool { stopping.load(ordering: .acquiring) }

    /// Tells the thread to end, and waits until it has ended.
    func stop() {
        stopping.store(true, ordering: .releasing)
        wake()
        let running = thread.withLock { thread in
            let running = thread
            thread = nil
            return running
        }
        running?.join()
    }
}
