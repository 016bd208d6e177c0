package import MediaBase

/// Times at which a program that has ended is started again. Does no IO and reads no clock.
///
/// The first pause is 1 s. Each further failure doubles it up to 30 s, until a run lasts `settledTime`.
package struct RestartSchedule: Sendable {
    package static let settledTime = MediaTime.seconds(10)
    private static let backoff = Backoff(first: .seconds(1), longest: .seconds(30))

    private var startedAt: MediaTime?
    private var failures = 0

    package init() {}

    /// Notes that the program was started.
    package mutating func started(now: MediaTime) { startedAt = now }

    /// Notes that the program has ended, or could not be started.
    /// - Returns: time until the next start.
    package mutating func ended(now: MediaTime) -> MediaTime {
        if let startedAt, now - startedAt >= Self.settledTime { failures = 0 }
        startedAt = nil
        failures += 1
        return Self.backoff.delay(failures: failures)
    }
}
