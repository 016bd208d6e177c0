import NIOCore
import NIOConcurrencyHelpers

/// A delegate, with the events that wait to be told to it.
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
    ///   - limit: events that wait at most.
    ///   - isThere: false once the delegate is gone: it is held weakly.
    ///   - tell: calls it, on the executor.
    init(
        on executor: DelegateExecutor, limit: Int, isThere: @escaping @Sendable () -> Bool,
        tell: @escaping @Sendable (Event) -> Void
    ) {
        self.executor = executor
        self.limit = max(1, limit)
        self.isThere = isThere
        self.tell = tell
    }

    /// The delegate is gone.
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
