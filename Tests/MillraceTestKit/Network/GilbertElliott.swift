/// Loss in bursts: a chain of two states, one of which loses more (Gilbert 1960, Elliott 1963). The state changes once per packet.
package struct GilbertElliott: Hashable, Sendable {
    /// Probability that a packet in the good state is followed by the bad state.
    package var toBad: Double
    /// Probability that a packet in the bad state is followed by the good state.
    package var toGood: Double
    /// Share of packets lost in each state.
    package var lossInGood: Double
    package var lossInBad: Double

    package init(toBad: Double, toGood: Double, lossInGood: Double = 0, lossInBad: Double = 1) {
        self.toBad = toBad
        self.toGood = toGood
        self.lossInGood = lossInGood
        self.lossInBad = lossInBad
    }

    /// Returns the chain that loses `loss` of all packets, in bursts of `length` packets on average.
    /// - Precondition: 0 < `loss` < 1 and `length` >= 1.
    package static func bursts(loss: Double, length: Double) -> GilbertElliott {
        precondition(loss > 0 && loss < 1 && length >= 1)
        let toGood = 1 / length
        return GilbertElliott(toBad: min(1, toGood * loss / (1 - loss)), toGood: toGood)
    }

    /// Share of the time in the bad state.
    package var shareOfBad: Double { toBad / (toBad + toGood) }
    /// Share of packets lost in the long run.
    package var expectedLoss: Double { shareOfBad * lossInBad + (1 - shareOfBad) * lossInGood }
    /// Average number of packets in the bad state: the length of a burst if that state loses everything and the other one nothing.
    package var expectedBurst: Double { 1 / toGood }
}
