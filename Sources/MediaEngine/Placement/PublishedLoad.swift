import MediaBase
import Synchronization

/// CPU use of one worker in the last second. The worker publishes it for other threads without a lock.
final class PublishedLoad: Sendable {
    /// Time of the measurement in milliseconds, times 1,024, plus the load in thousandths of a core.
    private let published = Atomic<UInt64>(0)

    /// Publishes a measurement.
    /// - Parameter load: thousandths of one core, 0 to 1,000.
    func publish(_ load: Int, at now: MediaTime) {
        let milliseconds = UInt64(max(0, now.rawValue / 1_000_000))
        published.store(milliseconds << 10 | UInt64(min(max(0, load), 1000)), ordering: .relaxed)
    }

    /// Returns the CPU use of the last second, in thousandths of one core. A worker measures only while it is awake: since its last
    /// measurement it has slept, so that the load falls to 0 within a second.
    func load(at now: MediaTime) -> Int {
        let word = published.load(ordering: .relaxed)
        let age = max(0, now.rawValue / 1_000_000 - Int64(word >> 10))
        let span = MeasuredLoad.span.rawValue / 1_000_000
        return Int(Int64(word & 1023) * max(0, span - age) / span)
    }
}
