import Synchronization

/// Queue of one reader's events, from the workers' threads to the reader's task.
final class EventReader: Sendable {
    private struct State {
        var queue: StreamEventQueue
        /// Continuation of the task that waits for an event.
        var waiter: CheckedContinuation<StreamEvent?, Never>?
        var isFinished = false
        /// Whether `next` has been called.
        var isRead = false
    }

    private let state: Mutex<State>

    init(capacity: Int = StreamEventQueue.standardCapacity) {
        state = Mutex(State(queue: StreamEventQueue(capacity: capacity)))
    }

    /// Events that did not reach the reader; 0 if nothing has called `next`.
    var missed: UInt64 { state.withLock { $0.isRead ? $0.queue.missed : 0 } }

    func send(_ event: StreamEvent) {
        let waiter = state.withLock { state -> CheckedContinuation<StreamEvent?, Never>? in
            guard !state.isFinished else { return nil }
            guard let waiter = state.waiter else {
                state.queue.push(event)
                return nil
            }
            state.waiter = nil
            return waiter
        }
        waiter?.resume(returning: event)
    }

    /// Ends the events. Events in the queue can still be read.
    func finish() { end { _ in } }

    /// Returns the next event; nil at the end, or if the task is cancelled.
    func next() async -> StreamEvent? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (event, isOver) = state.withLock { state -> (StreamEvent?, Bool) in
                    state.isRead = true
                    if let event = state.queue.pop() { return (event, true) }
                    // Only one task may wait at a time: a second one gets nil at once.
                    if state.isFinished || state.waiter != nil { return (nil, true) }
                    state.waiter = continuation
                    return (nil, false)
                }
                if isOver { continuation.resume(returning: event) }
            }
        } onCancel: {
            end { $0.queue.removeAll() }
        }
    }

    private func end(_ body: (inout State) -> Void) {
        let waiter = state.withLock { state in
            state.isFinished = true
            body(&state)
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: nil)
    }
}
