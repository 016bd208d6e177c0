import Synchronization

/// One reader's events, from the workers' threads to its task.
final class EventReader: Sendable {
    private struct State {
        var queue: StreamEventQueue
        /// Of the reader that waits.
        var waiter: CheckedContinuation<StreamEvent?, Never>?
        var isFinished = false
        /// Somebody has asked for an event.
        var isRead = false
    }

    private let state: Mutex<State>

    init(capacity: Int = StreamEventQueue.standardCapacity) {
        state = Mutex(State(queue: StreamEventQueue(capacity: capacity)))
    }

    /// Events that its reader did not get; 0 where nobody reads.
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

    /// What waits is still read.
    func finish() { end { _ in } }

    /// The next event; nil at the end, or when the task is cancelled.
    func next() async -> StreamEvent? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (event, isOver) = state.withLock { state -> (StreamEvent?, Bool) in
                    state.isRead = true
                    if let event = state.queue.pop() { return (event, true) }
                    // One reader at a time: what a second one asks for ends at once.
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
