/// Recent rewrites of one consumer, each with the range of producer packets that it applied to. Eight entries are enough: a rewrite lasts
/// until the next pause, change of layers or switch of encoding. Packets before the oldest entry cannot be retransmitted.
package struct RewriteHistory {
    package static let capacity = 8

    package struct Run {
        /// The producer's first packet under this rewrite; `end` is the first one after it.
        package var first: Int64
        package var end: Int64
        /// The consumer's sequence number for `first`.
        package var firstOut: Int64
        package var rewrite: RTPRewrite
    }

    private let runs: UnsafeMutablePointer<Run>
    private var count = 0

    package init() {
        runs = .allocate(capacity: Self.capacity)
    }

    /// Frees the memory. The value must not be used afterwards.
    package func deallocate() { runs.deallocate() }

    /// Starts a run: `rewrite` applies from the producer's packet `first` on. `first` ascends from call to call, unless cached packets are
    /// sent again; those are then found by their newer numbers.
    /// - Parameters:
    ///   - out: the consumer's sequence number for `first`.
    ///   - sentEnd: one after the latest packet that was sent, if the numbering restarts: packets not sent before the restart no longer
    ///     have a number. nil if the numbering continues.
    package mutating func begin(at first: Int64, _ rewrite: RTPRewrite, out: Int64? = nil, sentEnd: Int64? = nil) {
        var i = max(0, count - Self.capacity)
        while i < count {
            let run = runs + i % Self.capacity
            run.pointee.end = min(run.pointee.end, min(first, sentEnd ?? first))
            i += 1
        }
        let run = runs + count % Self.capacity
        run.initialize(
            to: Run(first: first, end: .max, firstOut: out ?? rewrite.sequence(of: first), rewrite: rewrite))
        count += 1
    }

    /// Returns the run that a consumer's sequence number falls into. The number may lie behind the run's end.
    package func run(consumerSequence: Int64) -> Run? {
        var i = count - 1
        while i >= 0, i >= count - Self.capacity {
            let run = runs[i % Self.capacity]
            if consumerSequence >= run.firstOut { return run }
            i -= 1
        }
        return nil
    }

    /// Returns the rewrite that applied to the producer's packet when it was new, or would have applied.
    package func rewrite(producerSequence: Int64) -> RTPRewrite? {
        var i = count - 1
        while i >= 0, i >= count - Self.capacity {
            let run = runs[i % Self.capacity]
            if producerSequence >= run.first { return producerSequence < run.end ? run.rewrite : nil }
            i -= 1
        }
        return nil
    }

    /// Returns the producer's packet that was sent as `consumerSequence`, with its rewrite, for runs without a temporal limit.
    package func find(consumerSequence: Int64) -> (producerSequence: Int64, rewrite: RTPRewrite)? {
        guard let run = run(consumerSequence: consumerSequence) else { return nil }
        let sequence = consumerSequence &+ run.rewrite.sequenceOffset
        return sequence >= run.first && sequence < run.end ? (sequence, run.rewrite) : nil
    }
}
