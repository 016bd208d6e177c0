internal import NIOCore
internal import NIOConcurrencyHelpers

/// A session's delegate, with the events that wait to be told to it.
final class DelegateSeat: Sendable {
    private struct State {
        var events = CircularBuffer<SessionEvent>()
        var isRunning = false
        var dropped = 0
    }

    /// Weak references are read and cleared atomically by the runtime; this one is never assigned after `init`.
    private final class Target: @unchecked Sendable {
        weak var delegate: (any SessionDelegate)?
        weak var session: Session?
        init(_ delegate: any SessionDelegate, _ session: Session) {
            self.delegate = delegate
            self.session = session
        }
    }

    private let target: Target
    private let executor: DelegateExecutor
    private let limit: Int
    private let state = NIOLockedValueBox(State())

    init(_ delegate: any SessionDelegate, of session: Session, on executor: DelegateExecutor, limit: Int) {
        target = Target(delegate, session)
        self.executor = executor
        self.limit = max(1, limit)
    }

    /// The delegate is gone.
    var isEmpty: Bool { target.delegate == nil }

    func send(_ event: SessionEvent) {
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
        while let event = next() {
            guard let delegate = target.delegate, let session = target.session else { continue }
            delegate.session(session, didReceive: event)
        }
    }

    private func next() -> SessionEvent? {
        state.withLockedValue { state in
            if state.events.isEmpty { state.isRunning = false }
            return state.events.popFirst()
        }
    }
}
