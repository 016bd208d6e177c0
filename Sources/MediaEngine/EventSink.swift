internal import Glibc

/// Where workers say that streams come and go. The newest are kept for whoever does not read.
final class EventSink: @unchecked Sendable {
    let stream: AsyncStream<StreamEvent>
    static let capacity = 4096

    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    // All under the mutex.
    private var readers: [Int: AsyncStream<StreamEvent>.Continuation]
    private var nextReader = 1
    private var isFinished = false

    init() {
        let (stream, continuation) = AsyncStream<StreamEvent>.makeStream(
            bufferingPolicy: .bufferingNewest(Self.capacity))
        self.stream = stream
        readers = [0: continuation]
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// A further reader's events, from now on; it ends with the sink or with its reader.
    func addReader() -> AsyncStream<StreamEvent> {
        let (stream, continuation) = AsyncStream<StreamEvent>.makeStream(
            bufferingPolicy: .bufferingNewest(Self.capacity))
        pthread_mutex_lock(mutex)
        let id = nextReader
        let isLate = isFinished
        nextReader += 1
        if !isLate { readers[id] = continuation }
        pthread_mutex_unlock(mutex)
        if isLate {
            continuation.finish()
        } else {
            continuation.onTermination = { [weak self] _ in self?.remove(id) }
        }
        return stream
    }

    func send(_ event: StreamEvent) {
        for reader in current { reader.yield(event) }
    }

    func finish() {
        pthread_mutex_lock(mutex)
        isFinished = true
        let all = Array(readers.values)
        readers = [:]
        pthread_mutex_unlock(mutex)
        // Outside the mutex: what a continuation runs at its end comes back here.
        for reader in all { reader.finish() }
    }

    private var current: [AsyncStream<StreamEvent>.Continuation] {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return Array(readers.values)
    }

    private func remove(_ id: Int) {
        pthread_mutex_lock(mutex)
        let gone = readers.removeValue(forKey: id)
        pthread_mutex_unlock(mutex)
        // Released here and not under the mutex.
        _ = gone
    }
}
