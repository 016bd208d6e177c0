import NIOConcurrencyHelpers

/// What comes of a session, a stream's pictures or its sound, one after another, for one reader. Any number of readers can be made, each
/// goes at its own pace: one that falls behind by more than its limit loses the oldest elements, counted in `dropped`, and holds up nobody.
///
/// Elements are kept from the moment the feed was made, so nothing is missed before its loop begins. Leaving the loop and letting go of
/// the feed ends it.
public struct Feed<Element: Sendable>: AsyncSequence, Sendable {
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let seat: FeedSeat<Element>

        /// Nil at the end of the feed, and when the reader's task is cancelled.
        public func next() async -> Element? { await seat.next() }

        public func next(isolation actor: isolated (any Actor)?) async -> Element? { await seat.next() }
    }

    private let seat: FeedSeat<Element>

    init(_ seat: FeedSeat<Element>) { self.seat = seat }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(seat: seat) }

    /// Elements that this reader lost because it was slow.
    public var dropped: Int { seat.dropped }

    /// The element that waits longest, without waiting for one.
    public func poll() -> Element? { seat.poll() }
}
