package import MediaBase

/// What one direction between two addresses does to datagrams. As it is: nothing.
package struct LinkConditions: Hashable, Sendable {
    package enum Loss: Hashable, Sendable {
        case none
        /// Each packet on its own, with this chance.
        case uniform(Double)
        case bursts(GilbertElliott)
    }

    package enum Jitter: Hashable, Sendable {
        case none
        /// Evenly between nothing and this.
        case uniform(MediaTime)
        /// A bell about `delay` with this standard deviation: the sum of four even numbers, so it ends at 3.5 deviations; never
        /// less than no delay.
        case bell(MediaTime)
    }

    package var loss: Loss = .none
    package var delay: MediaTime = .zero
    /// In addition to `delay`.
    package var jitter: Jitter = .none
    /// False: a datagram that jitter brings early waits for those before it.
    package var jitterReorders = false
    /// Of the bottleneck; nil: no limit.
    package var rate: Bitrate?
    /// Bytes that may wait at the bottleneck, the one being sent included; what does not fit is dropped (drop-tail).
    package var queue = 64_000
    /// Share of datagrams that come twice. Each copy has its own jitter.
    package var duplication = 0.0
    /// Share of datagrams that are held back by `reorderingDelay`, whoever overtakes them.
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
