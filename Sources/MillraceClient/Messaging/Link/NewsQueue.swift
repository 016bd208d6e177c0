import NIOConcurrencyHelpers

/// What a link told and nobody has looked at yet, in order. Answers always fit: there are no more than requests. Of too many events the
/// rest is left out, and it is known that it was.
///
/// Once one event was left out, all are, until the link is up again: a later one would say that everything before it is known.
final class NewsQueue: Sendable {
    private struct State {
        var waiting = 0
        /// Events were left out since the link was up.
        var isOverfull = false
        /// Who looks knows of that already.
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
                // What was left out is read after the login that follows.
                state.isOverfull = false
                state.isRestartAsked = false
            case .down, .ended, .answer: break
            }
            state.waiting += 1
            return true
        }
        if fits { writing.yield(news) }
    }

    /// One was looked at.
    /// - Returns: that was the last one, and others had been left out: the link is to begin anew. Said once until it is up again.
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
