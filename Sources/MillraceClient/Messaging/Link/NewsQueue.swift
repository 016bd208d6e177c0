internal import NIOConcurrencyHelpers

/// What a link told and nobody has looked at yet, in order. Answers always fit: there are no more than requests. Of too many events the
/// rest is left out, and it is known that it was.
final class NewsQueue: Sendable {
    private let state = NIOLockedValueBox((waiting: 0, isOverfull: false))
    private let limit: Int
    private let writing: AsyncStream<LinkNews>.Continuation
    let reading: AsyncStream<LinkNews>

    init(limit: Int) {
        self.limit = max(1, limit)
        (reading, writing) = AsyncStream.makeStream()
    }

    func push(_ news: LinkNews) {
        let fits = state.withLockedValue { state in
            if case .event = news, state.waiting >= limit {
                state.isOverfull = true
                return false
            }
            state.waiting += 1
            return true
        }
        if fits { writing.yield(news) }
    }

    /// One was looked at.
    /// - Returns: that was the last one, and others had been left out.
    func taken() -> Bool {
        state.withLockedValue { state in
            state.waiting -= 1
            guard state.waiting == 0, state.isOverfull else { return false }
            state.isOverfull = false
            return true
        }
    }

    func finish() { writing.finish() }
}
