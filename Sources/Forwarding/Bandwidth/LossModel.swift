/// Limits the rate by congestion loss, but not by loss that is independent of the sending rate, such as that of a radio link
/// (draft-ietf-rmcat-gcc-02 section 6 treats all loss as congestion).
///
/// A path with a short queue drops packets before the delay rises. Unexplained loss therefore starts a trial: the rate is reduced by a
/// fifth for a second. If the loss falls with it, the path was full, and the limit becomes the rate that arrived. If the loss stays, it has
/// other causes: it counts as explained from then on and limits nothing. Loss of up to 6 % beyond the explained part is ignored. If packets
/// did not queue on the path, up to 10 % over some seconds is ignored, and most of it becomes explained.
struct LossModel {
    private static let negligible = 0.02
    /// Unexplained loss that starts a trial.
    static let grave = 0.06
    /// Unexplained loss that starts a trial if packets do not queue.
    private static let graveWithoutDelay = 0.1
    /// Loss that becomes explained without a trial.
    private static let unsuspicious = 0.06
    /// Weight of one observation in the average over some seconds, and in the explained loss.
    private static let slowly = 0.07
    /// Loss above which the path counts as full without a trial.
    static let hopeless = 0.4
    /// Maximum loss that is taken into account.
    private static let darkest = 0.85
    /// Fraction of the rate that is sent during a trial; `trialLength` is the number of observations it lasts, of which the first is not
    /// counted.
    private static let trialShare = 0.8
    private static let trialLength = 4
    /// The path was full if at most this fraction of the loss remains.
    private static let relief = 0.6
    /// Growth of the limit per observation; `slowGrowth` applies for `slowFor` observations after the path was full.
    private static let growth = 1.04
    private static let slowGrowth = 1.01
    private static let slowFor = 40

    /// Fraction of packets lost recently, 0...1.
    private(set) var loss = 0.0
    /// Fraction of packets lost for other reasons than congestion, 0...1.
    private(set) var explained = 0.0
    /// Limit of the rate in bits per second; nil if loss does not limit it.
    private(set) var bound: Double?

    /// Loss averaged over some seconds.
    private var lasting = 0.0
    /// Recent packets, lost packets and rate, exponentially weighted.
    private var packets = 0.0
    private var lost = 0.0
    private var rate = 0.0
    private var sinceFull = Self.slowFor
    /// True if the last observation showed a full path.
    var isFilled: Bool { sinceFull == 0 }

    private struct Trial {
        var left = LossModel.trialLength
        var packets = 0.0
        var lost = 0.0
        /// Loss before the trial; `rate` is the rate before it, in bits per second.
        let loss: Double
        let rate: Double
        let bound: Double?
    }
    private var trial: Trial?

    /// Takes one observation.
    /// - Parameters:
    ///   - packets: number of packets sent; at least about 20, for a useful fraction.
    ///   - rate: bits per second at which they were sent.
    ///   - target: the current target.
    ///   - isDelayed: true if packets queued on the path recently, or if that is unknown.
    mutating func observe(packets: Int, lost: Int, rate: Double, target: Double, isDelayed: Bool = true) {
        guard packets > 0, rate > 0 else { return }
        let share = min(Double(lost) / Double(packets), 1)
        loss += (share - loss) * 0.3
        lasting += (share - lasting) * Self.slowly
        sinceFull = min(sinceFull + 1, Self.slowFor)
        if share > Self.hopeless, share - explained > Self.grave {
            // A trial in progress is answered by this.
            trial = nil
            return fill(with: rate, loss: share)
        }
        if trial != nil { return proceed(packets: packets, lost: lost) }
        self.packets = self.packets * 0.8 + Double(packets)
        self.lost = self.lost * 0.8 + Double(lost)
        self.rate += (rate - self.rate) * (self.rate == 0 ? 1 : 0.3)
        // Loss that has disappeared is no longer explained.
        explained = min(explained, loss + Self.negligible)
        let excess = (isDelayed ? loss : min(loss, lasting)) - explained
        if excess <= (isDelayed ? Self.grave : Self.graveWithoutDelay) {
            if !isDelayed { explained += max(min(loss, lasting, Self.unsuspicious) - explained, 0) * Self.slowly }
            grow(target: target)
        } else if sinceFull < Self.slowFor {
            // The path was full recently, so no trial is needed.
            fill(with: self.rate, loss: loss)
        } else {
            trial = Trial(loss: self.lost / self.packets, rate: self.rate, bound: bound)
            bound = self.rate * Self.trialShare
        }
    }

    /// Raises the limit after a probe of this rate passed.
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

    /// Sets the limit after the path was full at this rate.
    mutating func fill(with rate: Double, loss: Double) {
        // A short outage does not mean that the path became narrow.
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
