/// Bounds the rate by loss of a full path, but not by loss that comes whatever is sent, such as that of a radio link
/// (draft-ietf-rmcat-gcc-02 section 6 takes all loss for the former).
///
/// A path whose queue is short drops packets before delay tells of it. So loss that nothing explains makes a trial: for a second a
/// fifth less is sent. If the loss goes down with it, the path was full, and the bound becomes what came through. If it stays, it
/// has other reasons, explains itself from then on, and bounds nothing. Loss below 6 % more than is explained is left alone; where packets
/// did not wait on the path, so is 10 %, over some seconds, and most
/// of it explains itself.
struct LossModel {
    private static let negligible = 0.02
    /// Loss beyond what is explained that makes a trial.
    static let grave = 0.06
    /// The same where packets do not wait.
    private static let graveWithoutDelay = 0.1
    /// What explains itself without a trial.
    private static let unsuspicious = 0.06
    /// Weight of an observation in what is seen over some seconds, and in what explains itself.
    private static let slowly = 0.07
    /// Beyond this there is nothing to find out.
    static let hopeless = 0.4
    /// More loss than this tells nothing more.
    private static let darkest = 0.85
    /// Part of the rate that is sent during a trial, and how many observations it lasts; the first is not counted.
    private static let trialShare = 0.8
    private static let trialLength = 4
    /// The part of the loss that has to go with it.
    private static let relief = 0.6
    /// Growth of the bound with each observation; and for so many after the path was full.
    private static let growth = 1.04
    private static let slowGrowth = 1.01
    private static let slowFor = 40

    /// Share of the packets that was lost of late, 0...1.
    private(set) var loss = 0.0
    /// The part of it that has other reasons than a full path, 0...1.
    private(set) var explained = 0.0
    /// Bits a second; nil: loss bounds nothing.
    private(set) var bound: Double?

    /// Loss over some seconds.
    private var lasting = 0.0
    /// What was seen of late: packets and lost packets, fading, and the rate.
    private var packets = 0.0
    private var lost = 0.0
    private var rate = 0.0
    private var sinceFull = Self.slowFor
    /// The last observation showed a full path.
    var isFilled: Bool { sinceFull == 0 }

    private struct Trial {
        var left = LossModel.trialLength
        var packets = 0.0
        var lost = 0.0
        /// The loss before, and the rate, bits a second.
        let loss: Double
        let rate: Double
        let bound: Double?
    }
    private var trial: Trial?

    /// - Parameters:
    ///   - packets: how many were sent; 20 or more make sense.
    ///   - rate: bits a second that they were sent at.
    ///   - target: the rate that is used at present.
    ///   - isDelayed: packets waited on the path of late, or nobody knows.
    mutating func observe(packets: Int, lost: Int, rate: Double, target: Double, isDelayed: Bool = true) {
        guard packets > 0, rate > 0 else { return }
        let share = min(Double(lost) / Double(packets), 1)
        loss += (share - loss) * 0.3
        lasting += (share - lasting) * Self.slowly
        sinceFull = min(sinceFull + 1, Self.slowFor)
        if share > Self.hopeless, share - explained > Self.grave {
            // A trial that was under way has its answer.
            trial = nil
            return fill(with: rate, loss: share)
        }
        if trial != nil { return proceed(packets: packets, lost: lost) }
        self.packets = self.packets * 0.8 + Double(packets)
        self.lost = self.lost * 0.8 + Double(lost)
        self.rate += (rate - self.rate) * (self.rate == 0 ? 1 : 0.3)
        // What went away is not explained any more.
        explained = min(explained, loss + Self.negligible)
        let excess = (isDelayed ? loss : min(loss, lasting)) - explained
        if excess <= (isDelayed ? Self.grave : Self.graveWithoutDelay) {
            if !isDelayed { explained += max(min(loss, lasting, Self.unsuspicious) - explained, 0) * Self.slowly }
            grow(target: target)
        } else if sinceFull < Self.slowFor {
            // The path was full a moment ago: no need to try.
            fill(with: self.rate, loss: loss)
        } else {
            trial = Trial(loss: self.lost / self.packets, rate: self.rate, bound: bound)
            bound = self.rate * Self.trialShare
        }
    }

    /// A probe went through at this rate.
    mutating func raise(to bitsPerSecond: Double) {
        if let bound, bound < bitsPerSecond, trial == nil { self.bound = bitsPerSecond }
    }

    private mutating func proceed(packets: Int, lost: Int) {
        guard var trial else { return }
        if trial.left < Self.trialLength {
            trial.packets += Double(packets)
            trial.lost += Double(lost)
        }
        trial.left -= 1
        self.trial = trial
        guard trial.left == 0 else { return }
        self.trial = nil
        let remaining = trial.lost / max(trial.packets, 1)
        if remaining <= Self.relief * trial.loss {
            explained = min(remaining, trial.loss)
            fill(with: trial.rate, loss: trial.loss)
        } else {
            explained = (remaining + trial.loss) / 2
            bound = trial.bound
        }
        self.packets = 0
        self.lost = 0
        loss = remaining
    }

    /// The path was full at this rate.
    mutating func fill(with rate: Double, loss: Double) {
        // A path that was dark for a moment did not become narrow.
        let came = 1 - min(loss, Self.darkest)
        bound = min(rate * came / (1 - explained), bound ?? .infinity)
        sinceFull = 0
        self.loss = explained
        packets = 0
        lost = 0
        self.rate = 0
    }

    private mutating func grow(target: Double) {
        let factor = sinceFull < Self.slowFor ? Self.slowGrowth : Self.growth
        bound = bound.flatMap { $0 > 2 * target ? nil : $0 * factor }
    }
}
