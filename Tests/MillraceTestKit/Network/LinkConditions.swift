package import MediaBase

/// Impairments of datagrams in one direction between two addresses. The default has none.
package struct LinkConditions: Hashable, Sendable {
    package enum Loss: Hashable, Sendable {
        case none
        /// Loses each packet independently, with this probability.
        case uniform(Double)
        case bursts(GilbertElliott)
    }

    package enum Jitter: Hashable, Sendable {
        case none
        /// Evenly distributed between zero and this.
        case uniform(MediaTime)
        /// Bell-shaped around `delay` with this standard deviation: the sum of four uniform numbers, so it ends at 3.5 deviations; the
        /// delay is never negative.
        case bell(MediaTime)
    }

    package var loss: Loss = .none
    package var delay: MediaTime = .zero
    /// In addition to `delay`.
    package var jitter: Jitter = .none
    /// False: a datagram with less jitter waits for those before it.
    package var jitterReorders = false
    /// Rate of the bottleneck; nil: no limit.
    package var rate: Bitrate?
    /// Bytes in the bottleneck's queue, including the datagram that is being sent; excess datagrams are dropped (drop-tail).
    package var queue = 64_000
    /// Share of datagrams that are duplicated. Each copy has its own jitter.
    package var duplication = 0.0
    /// Share of datagrams that are delayed by `reorderingDelay`, whichever others overtake them.
    package var reordering = 0.0
    package var reorderingDelay: MediaTime = .milliseconds(20)
    /// Larger datagrams are dropped.
    package var largestDatagram = 65_507

    package init() {}

    /// Uniform loss and delay.
    package init(loss: Double = 0, delay: MediaTime) {
        self.loss = loss > 0 ? .uniform(loss) : .none
        self.delay = delay
    }
}
