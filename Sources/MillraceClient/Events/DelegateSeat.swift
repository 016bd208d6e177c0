import NIOCore
import NIOConcurrencyHelpers

/// A delegate with its queue of undelivered events.
final class DelegateSeat<Event: Sendable>: Sendable {
    private struct State {
        var events = CircularBuffer<Event>()
        var isRunning = false
        var dropped = 0
    }

    private let executor: DelegateExecutor
    private let limit: Int
    private let tell: @Sendable (Event) -> Void
    private let isThere: @Sendable () -> Bool
    private let state = NIOLockedValueBox(State())

    /// - Parameters:
    ///   - limit: maximum number of queued events.
    ///   - isThere: returns false once the weakly held delegate has been released.
    ///   - tell: calls the delegate, on the executor.
    init(
        on executor: DelegateExecutor, limit: Int, isThere: @escaping @Sendable () -> Bool,
        tell: @escaping @Sendable (Event) -> Void
    ) {
        self.executor = executor
        self.limit = max(1, limit)
        self.isThere = isThere
        self.tell = tell
    }

    /// Whether the delegate has been released.
    var isEmpty: Bool { !isThere() }

    func send(_ event: Event) {
        let starts = state.withLockedValue { state in
            if state.events.count >= limit {
                state.events.removeFirst()
                state.dropped += 1
            }
            state.events.append(event)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if starts { executor.run { [self] in drain() } }
    }

    private func drain() {
        while let event = next() { tell(event) }
    }

    private func next() -> Event? {
        state.withLockedValue { state in
            if state.events.isEmpty { state.isRunning = false }
            return state.events.popFirst()
        }
    }
}
