import CLinuxNet
import Synchronization

/// A thread that waits on descriptors and can be woken and stopped from others: what every loop of the generator stands on. Started at most
/// once; the owner keeps it for as long as the thread runs.
final class WakeableThread: Sendable {
    /// Can be read after `wake` or `stop`, until `clear`.
    let event = millrace_event_open()
    private let stopping = Atomic<Bool>(false)
    private let thread = Locked<LoadThread?>(nil)

    deinit { millrace_close(event) }

    /// - Parameter body: returns soon after `isStopping` has become true.
    func start(name: String, _ body: @escaping @Sendable () -> Void) throws(LoadError) {
        let started = try LoadThread(name: name, body)
        thread.withLock { $0 = started }
    }

    func wake() { millrace_event_signal(event) }
    func clear() { millrace_event_clear(event) }
    var isStopping: Bool { stopping.load(ordering: .acquiring) }

    /// Tells the thread to end, and waits until it has.
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
