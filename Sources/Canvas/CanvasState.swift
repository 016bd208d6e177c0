import Glibc

/// State shared by a tap's thread and its owner: counters, stop request, and waiters for the beginning and the end.
final class CanvasState: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    // The mutex protects the following properties.
    private var statistics = CanvasStatistics()
    private var stopWanted = false
    private var hasBegun = false
    private var beginWaiters: [CheckedContinuation<Void, Never>] = []
    private var endWaiters: [CheckedContinuation<Void, Never>] = []

    init() {
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
    func stop() { locked { stopWanted = true } }

    var snapshot: CanvasStatistics { locked { statistics } }
    func publish(_ new: CanvasStatistics) { locked { statistics = new } }

    /// Ends the wait of `begun()`.
    func begin() {
        let waiters = locked {
            hasBegun = true
            defer { beginWaiters = [] }
            return beginWaiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func end() {
        begin()
        let waiters = locked {
            statistics.isEnded = true
            defer { endWaiters = [] }
            return endWaiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func begun() async {
        await withCheckedContinuation { waiter in
            let isOver = locked {
                if !hasBegun { beginWaiters.append(waiter) }
                return hasBegun
            }
            if isOver { waiter.resume() }
        }
    }

    func ended() async {
        await withCheckedContinuation { waiter in
            let isOver = locked {
                if !statistics.isEnded { endWaiters.append(waiter) }
                return statistics.isEnded
            }
            if isOver { waiter.resume() }
        }
    }
}
