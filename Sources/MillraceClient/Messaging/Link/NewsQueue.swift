import NIOConcurrencyHelpers

/// Queue of a link's unhandled notifications, in order. Answers always fit, because the number of requests is limited. Events beyond
/// the limit are dropped, and the queue records that.
///
/// After the first dropped event, all further events are dropped until the link is up again: the cursor of a later event would claim
/// that all earlier changes are known.
final class NewsQueue: Sendable {
    private struct State {
        var waiting = 0
        /// Whether events have been dropped since the link was up.
        var isOverfull = false
        /// Whether the reader has already been asked to restart the link.
        var isRestartAsked = false
    }

    private let state = NIOLockedValueBox(State())
    private let limit: Int
    private let writing: AsyncStream<LinkNews>.Continuation
    let reading: AsyncStream<LinkNews>

    init(limit: Int) {
        self.limit = max(1, limit)
        (reading, writing) = AsyncStream.makeStream()
    }

    func push(_ news: LinkNews) {
        let fits = state.withLockedValue { state in
            switch news {
            case .event:
                if state.waiting >= limit { state.isOverfull = true }
                guard !state.isOverfull else { return false }
            case .up:
                // The login that follows reads the dropped changes.
                state.isOverfull = false
                state.isRestartAsked = false
            case .down, .ended, .answer: break
            }
            state.waiting += 1
            return true
        }
        if fits { writing.yield(news) }
    }

    /// Records that one notification has been handled.
    /// - Returns: true if the queue is empty and events were dropped, so that the link has to be restarted; only once until the link is
    ///   up again.
    func taken() -> Bool {
        state.withLockedValue { state in
            state.waiting -= 1
            guard state.waiting == 0, state.isOverfull, !state.isRestartAsked else { return false }
            state.isRestartAsked = true
            return true
        }
    }

    func finish() { writing.finish() }
}
