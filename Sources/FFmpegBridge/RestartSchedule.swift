package import MediaBase

/// Times at which a program that has ended is started again. Does no IO and reads no clock.
///
/// The first pause is `firstPause`. Each further failure doubles it up to `longestPause`, until a run lasts `settledTime`.
package struct RestartSchedule: Sendable {
    package static let firstPause = MediaTime.seconds(1)
    package static let longestPause = MediaTime.seconds(30)
    package static let settledTime = MediaTime.seconds(10)

    private var startedAt: MediaTime?
    private var pause = Self.firstPause

    package init() {}

    /// Notes that the program was started.
    package mutating func started(now: MediaTime) { startedAt = now }

    /// Notes that the program has ended, or could not be started.
    /// - Returns: time until the next start.
    package mutating func ended(now: MediaTime) -> MediaTime {
        if let startedAt, now - startedAt >= Self.settledTime { pause = Self.firstPause }
        startedAt = nil
        defer { pause = min(pause + pause, Self.longestPause) }
        return pause
    }
}
