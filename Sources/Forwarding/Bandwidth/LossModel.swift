/// Tells loss of a full path from loss that comes whatever is sent, such as that of a radio link, and bounds the rate by the former.
///
/// Two numbers explain the loss of the last observations: a capacity, over which all is dropped, and a share that is lost
/// anyway. For each capacity that comes into question the share that fits best is found, and how badly it fits (chi-squared);
/// of all that fit about as well as the best, the largest capacity is believed. So loss that does not change with the rate bounds
/// nothing, and loss that grows with the rate bounds it where it begins to. Under 2 % the bound grows, whatever the model says.
struct LossModel {
    /// More than this cannot be lost for other reasons than a full path; video is of no use then.
    private static let inherentAtMost = 0.25
    private static let negligible = 0.02
    /// Capacities are tried in steps of this factor.
    private static let step = 0.93
    /// Chi-squared beyond the best fit's that is still as good: 5 % of chance.
    private static let tolerance = 4.0
    /// Weight of an observation against the next.
    private static let fading: Float = 0.9
    /// Growth of the bound with each observation.
    private static let growth = 1.04

    private struct Observation {
        /// Bits a second.
        var rate: Float = 0
        var packets: Float = 0
        /// Share, 0...1.
        var loss: Float = 0
    }
    private static let kept = 16
    private var observations = InlineArray<16, Observation>(repeating: Observation())
    private var filled = 0
    private var next = 0

    /// Share of the packets that was lost of late, 0...1.
    private(set) var loss = 0.0
    /// Bits a second; nil: loss bounds nothing.
    private(set) var bound: Double?

    /// - Parameters:
    ///   - packets: how many were sent; 20 or more make sense.
    ///   - rate: bits a second that they were sent at.
    ///   - target: the rate that is used at present.
    mutating func observe(packets: Int, lost: Int, rate: Double, target: Double) {
        guard packets > 0, rate > 0 else { return }
        let share = min(Double(lost) / Double(packets), 1)
        loss += (share - loss) * 0.3
        observations[next] = Observation(rate: Float(rate), packets: Float(packets), loss: Float(share))
        next = (next + 1) % Self.kept
        filled = min(filled + 1, Self.kept)
        if loss < Self.negligible, share < 2 * Self.negligible {
            bound = bound.flatMap { $0 > 2 * target ? nil : $0 * Self.growth }
            return
        }
        let top = max(target, rate)
        let arrived = rate * (1 - share)
        guard let capacity = capacity(from: arrived * 0.97, to: top * 1.02) else {
            bound = bound.flatMap { $0 > 2 * target ? nil : $0 * Self.growth }
            return
        }
        // Never under what came: the loss is bounded then by the share that is lost anyway.
        bound = max(min(capacity, top), arrived)
    }

    /// A probe went through at this rate.
    mutating func raise(to bitsPerSecond: Double) {
        if let bound, bound < bitsPerSecond { self.bound = bitsPerSecond }
    }

    /// The largest capacity that explains the loss; nil when it is larger than all that was tried.
    private func capacity(from lowest: Double, to highest: Double) -> Double? {
        var best = Double.infinity
        var candidate = highest
        var fits: [(capacity: Double, badness: Double)] = []
        // About 40 steps at most: a tenth of what is sent comes, at least.
        while fits.count < 40 {
            let badness = badness(capacity: candidate)
            fits.append((candidate, badness))
            best = min(best, badness)
            if candidate <= lowest { break }
            candidate = max(candidate * Self.step, lowest)
        }
        guard let believed = fits.first(where: { $0.badness <= best + Self.tolerance }) else { return nil }
        return believed.capacity >= highest ? nil : believed.capacity
    }

    private func badness(capacity: Double) -> Double {
        var numerator: Float = 0
        var denominator: Float = 0
        forEach { observation, weight in
            let dropped = Self.dropped(observation.rate, Float(capacity))
            let weighed = weight * observation.packets
            numerator += weighed * (1 - dropped) * (observation.loss - dropped)
            denominator += weighed * (1 - dropped) * (1 - dropped)
        }
        let inherent = denominator > 0 ? min(max(numerator / denominator, 0), Float(Self.inherentAtMost)) : 0
        var sum: Float = 0
        forEach { observation, weight in
            let dropped = Self.dropped(observation.rate, Float(capacity))
            let expected = dropped + inherent * (1 - dropped)
            // A packet more or less is no surprise in a small number of them.
            let variance = max(expected * (1 - expected), 1 / observation.packets)
            let error = observation.loss - expected
            sum += weight * observation.packets * error * error / variance
        }
        return Double(sum)
    }

    private static func dropped(_ rate: Float, _ capacity: Float) -> Float {
        rate > capacity ? (rate - capacity) / rate : 0
    }

    private func forEach(_ body: (Observation, Float) -> Void) {
        var weight: Float = 1
        for back in 1...Self.kept where back <= filled {
            body(observations[(next + Self.kept - back) % Self.kept], weight)
            weight *= Self.fading
        }
    }
}
