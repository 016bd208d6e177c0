import MediaBase

/// Times at which damage of a recorded stream is reported.
struct DamageReports {
    /// Minimum time between two reports, so that a hostile publisher cannot flood the log.
    static let interval: MediaTime = .seconds(60)

    private var reported: UInt64 = 0
    private var reportedAt: MediaTime?

    /// Returns whether to report the damage now, and records that it was reported.
    /// - Parameter damage: number of damaged frames and jumps of time since the start of the recording.
    mutating func isDue(_ damage: UInt64, now: MediaTime) -> Bool {
        guard damage > reported else { return false }
        if let reportedAt, now - reportedAt < Self.interval { return false }
        reported = damage
        reportedAt = now
        return true
    }
}
