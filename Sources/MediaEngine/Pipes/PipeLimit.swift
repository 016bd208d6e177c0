import Forwarding
import MediaBase

/// State of a pipe whose path is measured: whether the path has shown a limit, and which encodings it withholds.
struct PipeLimit {
    /// Time after the path has shown its limit, or after the last encoding has returned, for which the estimate limits the pipe. An older
    /// estimate is of little use, because it does not grow while less is sent.
    private static let memory = MediaTime.seconds(30)

    /// Paths between relays are assumed to be wide until they show a limit, without probes.
    static let estimate: BandwidthEstimator.Configuration = {
        var configuration = BandwidthEstimator.Configuration()
        configuration.start = .kilobits(10_000_000)
        configuration.maximum = configuration.start
        return configuration
    }()

    var allocator = PipeAllocator()
    /// Number of encodings that are withheld.
    var withheld = 0
    private var until: MediaTime = .zero

    /// Notes the state of the path.
    /// - Returns: whether the estimate limits the pipe.
    mutating func update(_ estimator: BandwidthEstimator, now: MediaTime) -> Bool {
        guard estimator.isAcknowledged else { return false }
        if estimator.isCongested || estimator.isLimitedByLoss || withheld > 0 { until = now + Self.memory }
        return now < until
    }

    /// Whether the pipe was limited by the last state of its path.
    var isInForce: Bool { until > .zero }

    /// Forgets the limit.
    mutating func end() { until = .zero }
}
