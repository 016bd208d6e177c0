import MediaBase

/// Exponential decay, for averages that do not depend on the packet rate.
enum Decay {
    /// Returns 2^-(elapsed / halfLife): 1 at zero, 0.5 after `halfLife`. A parabola approximates the curve within each half-life with an
    /// error of at most 0.1 %, so that the result is the same on every machine.
    /// - Precondition: `halfLife` is positive.
    @inline(__always)
    static func factor(_ elapsed: MediaTime, halfLife: MediaTime) -> Double {
        guard elapsed.rawValue > 0 else { return 1 }
        let halvings = elapsed.rawValue / halfLife.rawValue
        guard halvings < 64 else { return 0 }
        let rest = Double(elapsed.rawValue &- halvings &* halfLife.rawValue) / Double(halfLife.rawValue)
        let within = 1 - rest * (0.671_573 - rest * 0.171_573)
        return within / Double(1 << UInt64(halvings))
    }
}
