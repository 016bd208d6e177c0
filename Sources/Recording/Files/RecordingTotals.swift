/// Sums over recordings, for metrics.
package struct RecordingTotals: Sendable, Hashable {
    package var damagedFrames: UInt64 = 0
    package var timeJumps: UInt64 = 0
    package var suspensions: UInt64 = 0
    package var unwrittenFrames: UInt64 = 0

    package init() {}

    mutating func add(_ statistics: RecordingStatistics) {
        damagedFrames &+= statistics.damagedFrames
        timeJumps &+= statistics.timeJumps
        suspensions &+= statistics.suspensions
        unwrittenFrames &+= statistics.unwrittenFrames
    }
}
