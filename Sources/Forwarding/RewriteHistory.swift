/// The rewrites that one consumer used of late, each with the range of the producer's packets that it held for. A handful is enough: a
/// rewrite lasts until the next pause, change of layers or switch of source. What is older than the oldest entry cannot be sent again.
package struct RewriteHistory {
    package static let capacity = 8

    package struct Run {
        /// Producer's first packet under this rewrite, and the first one after it.
        package var first: Int64
        package var end: Int64
        /// The consumer's number of `first`.
        package var firstOut: Int64
        package var rewrite: RTPRewrite
    }

    private let runs: UnsafeMutablePointer<Run>
    private var count = 0

    package init() {
        runs = .allocate(capacity: Self.capacity)
    }

    /// Frees the memory; the value is not used afterwards.
    package func deallocate() { runs.deallocate() }

    /// From the producer's packet `first` on, `rewrite` holds. `first` grows from call to call, unless cached packets are
    /// sent once more: those are known by their newer numbers from then on.
    /// - Parameters:
    ///   - out: the consumer's number of `first`.
    ///   - sentEnd: one after the latest packet that went out, where the numbering starts anew: what did not go out before has no number
    ///     any more. nil where it goes on.
    package mutating func begin(at first: Int64, _ rewrite: RTPRewrite, out: Int64? = nil, sentEnd: Int64? = nil) {
        var i = max(0, count - Self.capacity)
        while i < count {
            let run = runs + i % Self.capacity
            run.pointee.end = min(run.pointee.end, min(first, sentEnd ?? first))
            i += 1
        }
        let place = runs + count % Self.capacity
        place.initialize(
            to: Run(first: first, end: .max, firstOut: out ?? rewrite.sequence(of: first), rewrite: rewrite))
        count += 1
    }

    /// The run in which the consumer's number would be; it may lie behind its end.
    package func run(consumerSequence: Int64) -> Run? {
        var i = count - 1
        while i >= 0, i >= count - Self.capacity {
            let run = runs[i % Self.capacity]
            if consumerSequence >= run.firstOut { return run }
            i -= 1
        }
        return nil
    }

    /// How the producer's packet was, or would have been, rewritten when it was new.
    package func rewrite(producerSequence: Int64) -> RTPRewrite? {
        var i = count - 1
        while i >= 0, i >= count - Self.capacity {
            let run = runs[i % Self.capacity]
            if producerSequence >= run.first { return producerSequence < run.end ? run.rewrite : nil }
            i -= 1
        }
        return nil
    }

    /// The producer's packet that went out as `consumerSequence`, and how it was rewritten then: of runs without a temporal limit.
    package func find(consumerSequence: Int64) -> (producerSequence: Int64, rewrite: RTPRewrite)? {
        guard let run = run(consumerSequence: consumerSequence) else { return nil }
        let sequence = consumerSequence &+ run.rewrite.sequenceOffset
        return sequence >= run.first && sequence < run.end ? (sequence, run.rewrite) : nil
    }
}
