package import MediaBase

/// Estimates the capacity of one transport's path to its peer, in bits per second: from the delay of packets (draft-ietf-rmcat-gcc-02),
/// from loss, from probes, and from the peer's REMB. Reads no clock and sends nothing: the owner passes feedback and time in, and sends the
/// probes that it asks for.
///
/// About 1.6 KB per transport.
package final class BandwidthEstimator {
    package struct Configuration: Sendable {
        package var minimum = Bitrate.kilobits(50)
        package var start = Bitrate.kilobits(600)
        package var maximum = Bitrate.kilobits(50_000)
        /// True if the peer acknowledges individual packets. Otherwise the estimate has only REMB and receiver reports.
        package var hasTransportFeedback = true

        package init() {}
    }

    /// Rate that may be sent now, retransmissions and headers included. Temporarily lower than `capacity` after the path became narrower,
    /// so that the queue drains.
    package internal(set) var target: Bitrate
    /// Rate that the path carries in the long run.
    package internal(set) var capacity: Bitrate
    /// Rate that the sender could use. If it exceeds the target, the estimator probes. Set by the owner.
    package var wanted = Bitrate.kilobits(0)
    /// Sending rate without probes. Set by the owner. If the peer acknowledges individual packets, it only tells whether the sender follows
    /// the estimate.
    package var used = Bitrate.kilobits(0)
    /// False if the owner has nothing to send probes on. Set by the owner.
    package var canProbe = true
    /// Smoothed round trip time; nil before the first measurement.
    package internal(set) var roundTrip: MediaTime?
    /// Time that packets spend in the path's queue.
    package var queueDelay: MediaTime { .microseconds(queue.current) }
    /// Number of times that the peer's clock jumped by more than any path delays feedback, which restarted the delay measurement.
    package var clockJumps: UInt64 { history.clockJumps }
    /// Fraction of packets lost recently, 0...1.
    package var loss: Double { lossModel.loss }
    package var usage: DelayUsage { trend.usage }
    /// True if the path is at its limit: a queue builds up, or packets are lost due to congestion.
    package var isCongested: Bool { usage == .overuse || isFull }
    /// True if the path is certainly full: the queue is long or overflows, or it grows because the capacity fell.
    package var isFull: Bool {
        let excess = lossModel.loss - lossModel.explained
        if !hasFeedback {
            let isOver = isHeld && Double(used.rawValue) > Double(capacity.rawValue) * Self.tolerance
            return isRefused || excess > 0.3 || reported.isFull || isOver
        }
        return isRefused || excess > (isDelayed ? 0.1 : 0.3) || queueDelay > .milliseconds(200) || isNarrowed
    }
    /// True if loss limits the rate, or if a trial shows whether it has to.
    package var isLimitedByLoss: Bool { lossModel.bound != nil }
    /// True if a peer that does not acknowledge individual packets showed a limit of the path, and nothing has shown since that the limit
    /// is gone.
    package var isHeld: Bool { !hasFeedback && reported.held != nil }
    /// True if the peer acknowledges individual packets (transport-wide feedback).
    package var isAcknowledged: Bool { hasFeedback }
    package var isApplicationLimited: Bool { sending.isApplicationLimited }
    /// Rate for pacing. Higher than the target, since a frame is larger than its share of the target.
    package var pacingRate: Bitrate {
        Bitrate(saturating: Double(target.rawValue) * (drainFrom != nil ? 1.2 : 2.5))
    }

    /// Factor of the estimate that may be sent on a limited path, since rates are measured over a second.
    private static let tolerance = 1.1

    let configuration: Configuration
    var history = FeedbackHistory()
    var groups = PacketGroups()
    var trend = DelayTrend()
    var acknowledged = AcknowledgedRate()
    var queue = QueueDelay()
    var sending = SendingRate()
    var lossModel = LossModel()
    var control: RateControl
    var probes: ProbePlan

    // Packets of the next loss observation.
    var observedPackets = 0
    var observedLost = 0
    var observedBytes = 0
    var observedFrom: UInt32 = 0

    /// State of the path by the peer's REMB and receiver reports.
    var reported = ReportedPath()
    // Packets and losses of receiver reports since the last observation of loss.
    var reportedPackets = 0
    var reportedLost = 0
    /// True if the peer has acknowledged individual packets.
    var hasFeedback = false
    /// Time of the last report or feedback, or of the last check at which nothing had been sent since; `sentAtLastWord` is the next packet
    /// number at the last feedback.
    var lastWord: MediaTime
    var sentAtLastWord: Int64 = 0
    var lastRemoteLoss: MediaTime?
    var nextCheck: MediaTime
    /// Whether checks are rare, because nothing was sent between the last two of them.
    package internal(set) var isResting = false
    /// Next packet number at the last check.
    var sentAtCheck: Int64 = 0
    var lastOveruse: MediaTime?
    /// Time when the last probe was sent or measured.
    var probedAt: MediaTime?
    /// Start of draining the queue of a path that became narrower; nil if it is not draining. Moves forward as long as the queue shrinks.
    var drainFrom: MediaTime?
    /// Shortest queuing delay since `drainFrom`, in microseconds.
    var shortestDrained: Int64 = .max
    /// True if the capacity of the path was seen to fall, and its queue has not drained since.
    var isNarrowed = false
    /// True if packets queued on the path recently, so that losses are attributed to it.
    var isDelayed = false
    var lastDelayed: MediaTime?
    /// Time of the last unsent packets and of the last decrease because of them; `isRefused` is true while the former is recent.
    var lastUnsent: MediaTime?
    var lastUnsentDecrease: MediaTime?
    var isRefused = false

    package init(_ configuration: Configuration = Configuration(), now: MediaTime) {
        self.configuration = configuration
        let highest = max(configuration.maximum, configuration.minimum)
        let limits = Double(configuration.minimum.rawValue)...Double(highest.rawValue)
        let start = min(max(Double(configuration.start.rawValue), limits.lowerBound), limits.upperBound)
        control = RateControl(rate: start, limits: limits)
        probes = ProbePlan(
            start: start, maximum: limits.upperBound, isMeasured: configuration.hasTransportFeedback, now: now)
        target = Bitrate(saturating: start)
        capacity = target
        lastWord = now
        nextCheck = now + Self.checkInterval
    }
}
