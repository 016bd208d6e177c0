package import MediaBase

/// Spreads a probe over its duration: how many bytes of it are to leave by now. Small probes may leave in one burst as well; a large one
/// would fill the queue that it is to measure.
package struct ProbePacer: Sendable {
    package let probe: Probe
    private let start: MediaTime
    private var sent = 0
    private var calls = 0
    /// A sender that cannot send what it is asked to is not asked for ever.
    private static let callsAtMost = 2_000

    package init(_ probe: Probe, now: MediaTime) {
        self.probe = probe
        start = now
    }

    package var isDone: Bool { sent >= probe.bytes || calls >= Self.callsAtMost }

    /// Bytes to send now; 0 when nothing is due, or all was sent.
    package func due(now: MediaTime) -> Int {
        guard !isDone, now >= start else { return 0 }
        let elapsed = min((now - start).seconds, 10)
        // The first packet leaves at once.
        let owed = Int(elapsed * Double(probe.bitrate.rawValue) / 8) + 1
        return max(min(owed, probe.bytes) - sent, 0)
    }

    /// Notes what was sent of it, or that nothing could be.
    package mutating func note(bytes: Int) {
        sent += bytes
        calls += bytes > 0 ? 1 : Self.callsAtMost / 100
    }

    /// When the next packet is due; nil once it is done.
    package var deadline: MediaTime? {
        guard !isDone else { return nil }
        return start + MediaTime(rawValue: Int64(sent) * 8 * 1_000_000_000 / max(probe.bitrate.rawValue, 1))
    }
}
