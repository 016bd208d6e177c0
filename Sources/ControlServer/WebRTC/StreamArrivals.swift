import MediaEngine
import NIOConcurrencyHelpers

/// Wakes requests that wait for a stream of a session to be published.
final class StreamArrivals: Sendable {
    /// One request that waits.
    struct Waiter: Sendable {
        /// An element at once, and one for each stream of the session from then on.
        let wakes: AsyncStream<Void>
        fileprivate let continuation: AsyncStream<Void>.Continuation

        /// Nothing is waited for any more.
        func finish() { continuation.finish() }
    }

    private struct State {
        var nextID = 0
        var waiting: [String: [Int: AsyncStream<Void>.Continuation]] = [:]
        var isFinished = false
    }

    private let state = NIOLockedValueBox(State())

    /// - Parameters:
    ///   - events: are read to their end, at which nobody waits any more.
    ///   - note: gets each of them.
    init(events: AsyncStream<StreamEvent>, note: @escaping @Sendable (StreamEvent) -> Void = { _ in }) {
        Task { [state] in
            for await event in events {
                note(event)
                let waiting: [AsyncStream<Void>.Continuation]
                switch event {
                // After some were missed, whoever waits looks for itself.
                case .published(let session, _, _), .missed(let session?):
                    waiting = state.withLockedValue { $0.waiting[session].map { Array($0.values) } ?? [] }
                case .missed(nil): waiting = state.withLockedValue { $0.waiting.values.flatMap(\.values) }
                default: continue
                }
                for waiter in waiting { waiter.yield() }
            }
            let rest = state.withLockedValue { state in
                state.isFinished = true
                return state.waiting.values.flatMap(\.values)
            }
            // Outside the lock: each takes itself out of the table.
            for waiter in rest { waiter.finish() }
        }
    }

    func wait(for session: String) -> Waiter {
        // One that is not looked at yet says as much as many.
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let id = state.withLockedValue { state -> Int? in
            guard !state.isFinished else { return nil }
            state.nextID += 1
            state.waiting[session, default: [:]][state.nextID] = continuation
            return state.nextID
        }
        continuation.yield()
        if let id {
            continuation.onTermination = { [state] _ in
                state.withLockedValue { state in
                    state.waiting[session]?[id] = nil
                    if state.waiting[session]?.isEmpty == true { state.waiting[session] = nil }
                }
            }
        } else {
            continuation.finish()
        }
        return Waiter(wakes: stream, continuation: continuation)
    }
}
