/// The rewrites that one consumer used of late, each with the producer's sequence number it began at. A handful is enough: a rewrite
/// lasts until the next pause or switch of source. What is older than the oldest entry cannot be sent again.
package struct RewriteHistory {
    package static let capacity = 8

    private struct Run {
        var first: Int64
        var rewrite: RTPRewrite
    }

    private let runs: UnsafeMutablePointer<Run>
    private var count = 0

    package init() {
        runs = .allocate(capacity: Self.capacity)
    }

    /// Frees the memory; the value is not used afterwards.
    package func deallocate() { runs.deallocate() }

    /// From the producer's packet `first` on, `rewrite` holds. `first` grows from call to call.
    package mutating func begin(at first: Int64, _ rewrite: RTPRewrite) {
        let place = runs + count % Self.capacity
        place.initialize(to: Run(first: first, rewrite: rewrite))
        count += 1
    }

    /// The producer's packet that went out as `consumerSequence`, and how it was rewritten then.
    package func find(consumerSequence: Int64) -> (producerSequence: Int64, rewrite: RTPRewrite)? {
        var end = Int64.max
        var i = count - 1
        while i >= 0, i >= count - Self.capacity {
            let run = runs[i % Self.capacity]
            let sequence = consumerSequence &+ run.rewrite.sequenceOffset
            if sequence >= run.first { return sequence < end ? (sequence, run.rewrite) : nil }
            end = run.first
            i -= 1
        }
        return nil
    }
}
