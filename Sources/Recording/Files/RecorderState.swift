import Glibc

/// State shared by a recorder's thread and its owner: status, stop request, and waiters for the end.
final class RecorderState: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    // The mutex protects the following properties.
    private var status: RecordingStatus
    private var stopWanted = false
    private var isOver = false
    private var waiters: [CheckedContinuation<Void, Never>] = []

    init(_ status: RecordingStatus) {
        self.status = status
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    private func locked<R>(_ body: () -> R) -> R {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }

    var isStopWanted: Bool { locked { stopWanted } }
    var isEnded: Bool { locked { isOver } }
    var snapshot: RecordingStatus { locked { status } }

    func stop() { locked { stopWanted = true } }
    func publish(_ new: RecordingStatus) { locked { status = new } }

    func end() {
        let resumed = locked {
            isOver = true
            defer { waiters = [] }
            return waiters
        }
        for waiter in resumed { waiter.resume() }
    }

    func ended() async {
        await withCheckedContinuation { waiter in
            let now = locked {
                if !isOver { waiters.append(waiter) }
                return isOver
            }
            if now { waiter.resume() }
        }
    }
}
