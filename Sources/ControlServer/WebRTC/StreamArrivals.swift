import MediaEngine
import NIOConcurrencyHelpers

/// Wakes requests that wait until a stream of a session is published.
final class StreamArrivals: Sendable {
    /// Waiting request.
    struct Waiter: Sendable {
        /// Yields an element at once, and one for each stream that is published in the session from then on.
        let wakes: AsyncStream<Void>
        fileprivate let continuation: AsyncStream<Void>.Continuation

        /// Ends the wait.
        func finish() { continuation.finish() }
    }

    private struct State {
        var nextID = 0
        var waiting: [String: [Int: AsyncStream<Void>.Continuation]] = [:]
        var isFinished = false
    }

    private let state = NIOLockedValueBox(State())

    /// - Parameters:
    ///   - events: read to their end, which ends all waits.
    ///   - note: receives each event.
    init(events: AsyncStream<StreamEvent>, note: @escaping @Sendable (StreamEvent) -> Void = { _ in }) {
        Task { [state] in
            for await event in events {
                note(event)
                let waiting: [AsyncStream<Void>.Continuation]
                switch event {
                // After lost events, waiting requests check for themselves.
                case .published(let session, _, _), .mirrored(let session, _), .missed(let session?):
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
            // Outside of the lock, because each waiter removes itself from the table.
            for waiter in rest { waiter.finish() }
        }
    }

    func wait(for session: String) -> Waiter {
        // A single pending element is enough.
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
