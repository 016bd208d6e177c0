package import MediaBase

/// Spreads the bytes of a probe evenly over its duration. A small probe could leave in one burst, but a large one would fill the queue that
/// it measures.
package struct ProbePacer: Sendable {
    package let probe: Probe
    private let start: MediaTime
    private var sent = 0
    private var calls = 0
    /// Maximum number of calls, so that a sender that cannot send the probe's bytes gives up.
    private static let callsAtMost = 2_000

    package init(_ probe: Probe, now: MediaTime) {
        self.probe = probe
        start = now
    }

    package var isDone: Bool { sent >= probe.bytes || calls >= Self.callsAtMost }

    /// Returns the bytes to send now: 0 if none are due, or if all were sent.
    package func due(now: MediaTime) -> Int {
        guard !isDone, now >= start else { return 0 }
        let elapsed = min((now - start).seconds, 10)
        // The first packet leaves at once.
        let owed = Int(elapsed * Double(probe.bitrate.rawValue) / 8) + 1
        return max(min(owed, probe.bytes) - sent, 0)
    }

    /// Records that `bytes` of the probe were sent, or with 0 that none could be sent.
    package mutating func note(bytes: Int) {
        sent += bytes
        calls += bytes > 0 ? 1 : Self.callsAtMost / 100
    }

    /// Time when the next packet is due; nil once the probe is done.
    package var deadline: MediaTime? {
        guard !isDone else { return nil }
        return start + MediaTime(rawValue: Int64(sent) * 8 * 1_000_000_000 / max(probe.bitrate.rawValue, 1))
    }
}
