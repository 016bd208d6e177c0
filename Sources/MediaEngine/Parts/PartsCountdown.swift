import Synchronization

/// Waits until several workers have handled a message, and reports it once.
final class PartsCountdown: Sendable {
    private struct State {
        var left: Int
        var failure: EngineError?
    }

    private let state: Mutex<State>
    private let finish: @Sendable (EngineError?) -> Void

    /// - Parameters:
    ///   - count: workers, at least 1.
    ///   - finish: receives the failure of one of the workers; nil if there was none.
    init(_ count: Int, _ finish: @escaping @Sendable (EngineError?) -> Void) {
        state = Mutex(State(left: count))
        self.finish = finish
    }

    /// Records that a worker has handled the message, or that it did not accept it.
    func arrive(_ failure: EngineError? = nil) {
        let end = state.withLock { state -> State? in
            state.left -= 1
            if let failure { state.failure = failure }
            return state.left == 0 ? state : nil
        }
        if let end { finish(end.failure) }
    }
}
