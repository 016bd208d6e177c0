package import MediaBase

/// Rate that the relay allows a publisher that supports only REMB: it grows while little is lost, and falls below the received rate if much
/// is lost. It uses no packet delays, so it is slower and less precise than transport-wide feedback.
package struct UplinkAllowance: Sendable {
    /// Loss below which the rate grows; above `grave` it falls (draft-ietf-rmcat-gcc-02 section 6).
    private static let slight = 0.02
    private static let grave = 0.1
    private static let growth = 1.15
    /// Maximum factor of the received rate to which the rate grows, so that a publisher that has paused starts from there.
    private static let headroom = 2.0
    /// Minimum rate, in bits per second.
    private static let floor = 300_000.0

    private var rate: Double
    private let limits: ClosedRange<Double>

    package init(start: Bitrate, minimum: Bitrate, maximum: Bitrate) {
        let highest = Double(max(maximum, minimum).rawValue)
        limits = Double(minimum.rawValue)...highest
        rate = min(max(Double(start.rawValue), Double(minimum.rawValue)), highest)
    }

    /// Returns the rate for the next REMB. Called for each report, about once a second.
    /// - Parameters:
    ///   - received: received rate over the report's interval.
    ///   - loss: fraction of packets lost, 0...1.
    package mutating func update(received: Bitrate, loss: Double) -> Bitrate {
        let came = Double(max(0, received.rawValue))
        if loss > Self.grave {
            rate = min(rate, came * (1 - 0.5 * loss) / max(0.1, 1 - loss))
        } else if loss < Self.slight {
            rate = min(rate * Self.growth, max(came * Self.headroom, rate))
        }
        rate = min(max(rate, max(limits.lowerBound, min(Self.floor, limits.upperBound))), limits.upperBound)
        return Bitrate(saturating: rate)
    }
}
