import CLinuxNet
import Glibc
import Synchronization

/// Bounded queue of closures that other threads post to one worker. The worker runs them between batches of packets.
final class Mailbox: @unchecked Sendable {
    typealias Work = @Sendable (Worker) -> Void

    let event: Int32
    private let limit: Int
    private static let urgentRoom = 1_024
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    // The mutex protects both.
    private var work: [Work] = []
    private var isClosed = false
    /// Whether the worker sleeps, or is about to.
    private let isWaiting = Atomic<Bool>(false)

    init(limit: Int) {
        event = millrace_event_open()
        self.limit = limit
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
        millrace_close(event)
    }

    enum Refusal: Error {
        case full
        case closed
    }

    /// Appends an item and wakes the worker.
    /// - Parameter isUrgent: the item stops media. Urgent items have a higher limit: twice the normal one, at least 1,024.
    func post(isUrgent: Bool = false, _ item: @escaping Work) throws(Refusal) {
        pthread_mutex_lock(mutex)
        let room = isUrgent ? max(2 * limit, Self.urgentRoom) : limit
        let refusal: Refusal? = isClosed ? .closed : work.count >= room ? .full : nil
        if refusal == nil { work.append(item) }
        pthread_mutex_unlock(mutex)
        if let refusal { throw refusal }
        millrace_event_signal(event)
    }

    /// Whether no item waits.
    var isEmpty: Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return work.isEmpty
    }

    // MARK: links

    /// Announces that the worker is about to sleep. Records that were written to its links before are visible to it afterwards.
    func beginWait() { isWaiting.store(true, ordering: .sequentiallyConsistent) }

    func endWait() { isWaiting.store(false, ordering: .relaxed) }

    /// Wakes the worker if it sleeps. Call from the thread that has written to one of its links.
    func wakeIfWaiting() {
        if isWaiting.load(ordering: .sequentiallyConsistent),
            isWaiting.exchange(false, ordering: .sequentiallyConsistent)
        {
            millrace_event_signal(event)
        }
    }

    func takeAll() -> [Work] {
        millrace_event_clear(event)
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        let all = work
        work = []
        return all
    }

    /// Appends the last item and refuses all later ones. Items that were posted earlier still run.
    func close(last item: @escaping Work) {
        pthread_mutex_lock(mutex)
        if !isClosed { work.append(item) }
        isClosed = true
        pthread_mutex_unlock(mutex)
        millrace_event_signal(event)
    }
}
