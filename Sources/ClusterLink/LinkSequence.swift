/// Input of a link, for one reader. The link closes if the reader goes away: its task is cancelled in `next`, or its iterator or an unread
/// sequence is released. Iteration throws a ``LinkError``, or `CancellationError` in a cancelled task.
package struct LinkSequence<Element: Sendable>: AsyncSequence, Sendable {
    private let producer: InboundFlow<Element>.Producer

    init(_ producer: InboundFlow<Element>.Producer) { self.producer = producer }

    package struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var base: InboundFlow<Element>.Producer.AsyncIterator

        package mutating func next() async throws -> Element? { try await base.next() }
    }

    package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: producer.makeAsyncIterator()) }
}
