import Synchronization

/// Result of a call, passed from the worker's thread to the tasks that wait for it.
final class EngineOutcome: Sendable {
    private struct State {
        /// Nil: the call has not run yet.
        var result: Result<Void, EngineError>?
        var waiters: [CheckedContinuation<Result<Void, EngineError>, Never>] = []
    }

    private let state = Mutex(State())

    /// Stores the result and resumes the waiting tasks. Call once.
    func settle(_ result: Result<Void, EngineError>) {
        let waiters = state.withLock { state -> [CheckedContinuation<Result<Void, EngineError>, Never>] in
            state.result = result
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(returning: result) }
    }

    /// Waits for the result. A cancelled task waits too, because the worker runs the call anyway.
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
