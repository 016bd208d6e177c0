import MediaEngine
import NIOConcurrencyHelpers

/// What the media engine has told of a session and that has not heard yet. Posting waits for nobody.
final class LiveSessionInbox: Sendable {
    private struct State {
        var queue = StreamEventQueue()
        /// The session has been told that something is there.
        var isAnnounced = false
    }

    private let state = NIOLockedValueBox(State())

    /// - Returns: whether the session is to be told that something is there, and how many events it will not get.
    func post(_ event: StreamEvent) -> (isNews: Bool, missed: UInt64) {
        state.withLockedValue { state in
            let before = state.queue.missed
            state.queue.push(event)
            defer { state.isAnnounced = true }
            return (!state.isAnnounced, state.queue.missed - before)
        }
    }

    /// The next event; nil: the session is told anew when something comes.
    func take() -> StreamEvent? {
        state.withLockedValue { state in
            let event = state.queue.pop()
            if event == nil { state.isAnnounced = false }
            return event
        }
    }
}
