package import MediaBase

/// What a publisher that takes REMB alone is told that it may send: as much as it likes while little is lost, less than what came where much
/// is. It has no delays of packets to go by, so it is slower and rougher than transport-wide feedback.
package struct UplinkAllowance: Sendable {
    /// Loss below this is no reason to hold back, and beyond `grave` one to give way (draft-ietf-rmcat-gcc-02 section 6).
    private static let slight = 0.02
    private static let grave = 0.1
    private static let growth = 1.15
    /// More than so many times what comes is not allowed: a publisher that has been still for a while begins from there.
    private static let headroom = 2.0
    /// What is always allowed.
    private static let floor = 300_000.0

    private var rate: Double
    private let limits: ClosedRange<Double>

    package init(start: Bitrate, minimum: Bitrate, maximum: Bitrate) {
        let highest = Double(max(maximum, minimum).rawValue)
        limits = Double(minimum.rawValue)...highest
        rate = min(max(Double(start.rawValue), Double(minimum.rawValue)), highest)
    }

    /// Once for each report, about once a second.
    /// - Parameters:
    ///   - received: over the report's interval.
    ///   - loss: share of the packets, 0...1.
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
