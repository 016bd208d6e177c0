import Synchronization

/// Distributes the workers' events to readers. Each reader has its own bounded queue, which reports dropped events with `missed`.
final class EventSink: Sendable {
    private struct State {
        var readers: [Int: EventReader] = [:]
        var nextID = 0
        var isFinished = false
        /// Events that readers missed which have since been removed.
        var missed: UInt64 = 0
    }

    /// Registration of a reader; removes the reader when its event stream is released.
    private final class Lease: Sendable {
        let reader: EventReader
        private let id: Int
        private weak let sink: EventSink?

        init(_ reader: EventReader, _ id: Int, _ sink: EventSink) {
            self.reader = reader
            self.id = id
            self.sink = sink
        }

        deinit { sink?.remove(id) }
    }

    private let state = Mutex(State())
    private let capacity: Int

    /// - Parameter capacity: events that may wait for one reader.
    init(capacity: Int = StreamEventQueue.standardCapacity) {
        self.capacity = capacity
    }

    /// Events that readers did not get; each reader is told with a `missed` event.
    var missed: UInt64 {
        let (readers, gone) = state.withLock { (Array($0.readers.values), $0.missed) }
        return readers.reduce(gone) { $0 + $1.missed }
    }

    /// Returns the events from now on. The stream ends with the sink; the reader is removed when the stream is released.
    func addReader() -> AsyncStream<StreamEvent> {
        let reader = EventReader(capacity: capacity)
        let (id, isLate) = state.withLock { state in
            let id = state.nextID
            state.nextID += 1
            if !state.isFinished { state.readers[id] = reader }
            return (id, state.isFinished)
        }
        if isLate { reader.finish() }
        let lease = Lease(reader, id, self)
        return AsyncStream(unfolding: { await lease.reader.next() })
    }

    func send(_ event: StreamEvent) {
        CrashNotes.note(event)
        for reader in state.withLock({ Array($0.readers.values) }) { reader.send(event) }
    }

    func finish() {
        let all = state.withLock { state in
            state.isFinished = true
            return Array(state.readers.values)
        }
        for reader in all { reader.finish() }
    }

    private func remove(_ id: Int) {
        // Released outside the lock.
        let reader = state.withLock { $0.readers.removeValue(forKey: id) }
        guard let missed = reader?.missed, missed > 0 else { return }
        state.withLock { $0.missed += missed }
    }
}
