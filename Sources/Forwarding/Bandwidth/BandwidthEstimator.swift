package import MediaBase

/// What one transport's path to its peer takes, in bits a second: from the delay of packets (draft-ietf-rmcat-gcc-02), from their
/// loss, from probes, and from what the peer says itself (REMB). Reads no clock and sends nothing: its owner hands it feedback and
/// the time, and sends the probes that it asks for.
///
/// About 1.6 KB a transport.
package final class BandwidthEstimator {
    package struct Configuration: Sendable {
        package var minimum = Bitrate.kilobits(50)
        package var start = Bitrate.kilobits(600)
        package var maximum = Bitrate.kilobits(50_000)
        /// The peer tells of single packets; else REMB and reports are all there is.
        package var hasTransportFeedback = true

        package init() {}
    }

    /// What may be sent now, retransmissions and headers included. For a moment after the path got narrower it is less than
    /// `capacity`, so that the queue that built up there drains.
    package internal(set) var target: Bitrate
    /// What the path takes in the long run.
    package internal(set) var capacity: Bitrate
    /// What the sender would make use of; more than the target makes it probe. Set by the owner.
    package var wanted = Bitrate.kilobits(0)
    /// Sending rate without probes. Set by the owner; used if the peer acknowledges no single packets.
    package var used = Bitrate.kilobits(0)
    /// False if the owner has nothing to send probes on. Set by the owner.
    package var canProbe = true
    /// Smoothed; nil before it was seen.
    package internal(set) var roundTrip: MediaTime?
    /// How long packets wait in the path's queue.
    package var queueDelay: MediaTime { .microseconds(queue.current) }
    /// Times that the peer's clock jumped by more than any path delays feedback, and the measurement of delays restarted.
    package var clockJumps: UInt64 { history.clockJumps }
    /// Share of the packets that was lost of late, 0...1.
    package var loss: Double { lossModel.loss }
    package var usage: DelayUsage { trend.usage }
    /// The path shows its limit: a queue builds up, or packets are lost that would come if fewer were sent.
    package var isCongested: Bool { usage == .overuse || isFull }
    /// Beyond doubt: the queue is long, or overflows, or grows because the path takes less than it did.
    package var isFull: Bool {
        let excess = lossModel.loss - lossModel.explained
        if !hasFeedback {
            let isOver = isHeld && Double(used.rawValue) > Double(capacity.rawValue) * Self.tolerance
            return isRefused || excess > 0.3 || reported.isFull || isOver
        }
        return isRefused || excess > (isDelayed ? 0.1 : 0.3) || queueDelay > .milliseconds(200) || isNarrowed
    }
    /// A peer that acknowledges no single packets showed a limit, and nothing has shown since that it is over.
    package var isHeld: Bool { !hasFeedback && reported.held != nil }
    /// The peer acknowledges single packets (transport-wide feedback).
    package var isAcknowledged: Bool { hasFeedback }
    package var isApplicationLimited: Bool { sending.isApplicationLimited }
    /// What may leave in a short while: frames are larger than their share of the target.
    package var pacingRate: Bitrate {
        Bitrate(saturating: Double(target.rawValue) * (drainFrom != nil ? 1.2 : 2.5))
    }

    /// Part of the estimate that may be sent on a limited path: rates are measured over a second.
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

    // Packets that the next observation of loss is made of.
    var observedPackets = 0
    var observedLost = 0
    var observedBytes = 0
    var observedFrom: UInt32 = 0

    /// The path by the peer's REMB and receiver reports.
    var reported = ReportedPath()
    // Packets and losses of receiver reports since the last observation of loss.
    var reportedPackets = 0
    var reportedLost = 0
    /// The peer tells of single packets.
    var hasFeedback = false
    /// When the peer last told of anything, or nothing had been sent that it could tell of; and what was sent by then.
    var lastWord: MediaTime
    var sentAtLastWord: Int64 = 0
    var lastRemoteLoss: MediaTime?
    var nextCheck: MediaTime
    var lastOveruse: MediaTime?
    /// When a probe was sent, or measured.
    var probedAt: MediaTime?
    /// While the queue of a path that got narrower is let drain; nil: it is not. It moves on as long as the queue gets shorter.
    var drainFrom: MediaTime?
    /// Of the queue since then, microseconds.
    var shortestDrained: Int64 = .max
    /// The path was seen to take less than it did, and its queue has not drained since.
    var isNarrowed = false
    /// Packets waited on the path of late: what is lost is lost there.
    var isDelayed = false
    var lastDelayed: MediaTime?
    /// When packets could last not be sent, when the rate was last lowered for it, and whether the former is recent.
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
