import Synchronization

/// What came of a call, from its worker's thread to whoever waits for it.
final class EngineOutcome: Sendable {
    private struct State {
        /// Nil: not done yet.
        var result: Result<Void, EngineError>?
        var waiters: [CheckedContinuation<Result<Void, EngineError>, Never>] = []
    }

    private let state = Mutex(State())

    /// To be called once.
    func settle(_ result: Result<Void, EngineError>) {
        let waiters = state.withLock { state -> [CheckedContinuation<Result<Void, EngineError>, Never>] in
            state.result = result
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(returning: result) }
    }

    /// A task that is cancelled waits as well: the worker does what it was asked for.
    func wait() async -> Result<Void, EngineError> {
        await withCheckedContinuation { continuation in
            let result = state.withLock { state -> Result<Void, EngineError>? in
                if state.result == nil { state.waiters.append(continuation) }
                return state.result
            }
            if let result { continuation.resume(returning: result) }
        }
    }
}
