/// A call that is in its worker's mailbox: calls run in the order in which they were begun. What came of it can be waited for, once.
package struct EngineCall: Sendable {
    private let outcome: AsyncStream<EngineError?>

    init(_ begin: (AsyncStream<EngineError?>.Continuation) -> Void) {
        let (outcome, continuation) = AsyncStream<EngineError?>.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.outcome = outcome
        begin(continuation)
    }

    /// Returns once the engine has done it.
    package func finish() async throws(EngineError) {
        var iterator = outcome.makeAsyncIterator()
        guard let answer = await iterator.next() else { throw .stopped }
        if let answer { throw answer }
    }
}
