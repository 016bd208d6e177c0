import MediaEngine
import NIOConcurrencyHelpers

/// Queue of the media engine's events for a session. Posting does not wait for the session.
final class LiveSessionInbox: Sendable {
    private struct State {
        var queue = StreamEventQueue()
        /// Whether the session has been notified that events are queued.
        var isAnnounced = false
    }

    private let state = NIOLockedValueBox(State())

    /// - Returns: whether the session needs a notification, and how many events were dropped.
    func post(_ event: StreamEvent) -> (isNews: Bool, missed: UInt64) {
        state.withLockedValue { state in
            let before = state.queue.missed
            state.queue.push(event)
            defer { state.isAnnounced = true }
            return (!state.isAnnounced, state.queue.missed - before)
        }
    }

    /// Returns the next event. After nil, the next `post` asks for a new notification.
    func take() -> StreamEvent? {
        state.withLockedValue { state in
            let event = state.queue.pop()
            if event == nil { state.isAnnounced = false }
            return event
        }
    }
}
