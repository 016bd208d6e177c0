import NIOConcurrencyHelpers

/// Sequence of events, video frames or audio blocks for one reader. Any number of readers can exist, each at its own pace. A reader that
/// falls behind by more than its limit loses the oldest elements, which `dropped` counts; it delays no other reader.
///
/// Elements are queued from the creation of the feed, so none is missed before the loop begins. The feed ends when its loop has been left
/// and the feed is released.
public struct Feed<Element: Sendable>: AsyncSequence, Sendable {
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let seat: FeedSeat<Element>

        /// Returns the next element; nil at the end of the feed, or if the reader's task is cancelled.
        public func next() async -> Element? { await seat.next() }

        public func next(isolation actor: isolated (any Actor)?) async -> Element? { await seat.next() }
    }

    private let seat: FeedSeat<Element>

    init(_ seat: FeedSeat<Element>) { self.seat = seat }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(seat: seat) }

    /// Number of elements that this reader lost because it was too slow.
    public var dropped: Int { seat.dropped }

    /// Returns the oldest queued element without waiting; nil if the queue is empty.
    public func poll() -> Element? { seat.poll() }
}
