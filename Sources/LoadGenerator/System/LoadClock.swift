import CLinuxNet

/// Clock of the generator: monotonic, with an offset to the time of day that is read once, so that another process on this host can
/// read the times in test frames. Later steps of the system clock have no effect.
struct LoadClock: Sendable {
    /// Nanoseconds to add to the monotonic clock to get nanoseconds since 1970.
    private let offset: Int64

    init() { offset = millrace_realtime_ns() - millrace_monotonic_ns() }

    /// Monotonic nanoseconds.
    static var now: Int64 { millrace_monotonic_ns() }
    /// Returns the time since a moment in monotonic nanoseconds.
    static func seconds(since start: Int64) -> Double { Double(now - start) / 1e9 }

    /// Returns microseconds since 1970-01-01 UTC at a monotonic time.
    func unixMicroseconds(at monotonic: Int64) -> UInt64 { UInt64(max(0, monotonic + offset) / 1_000) }

    /// Returns nanoseconds since 1970-01-01 UTC at a monotonic time.
    func unixNanoseconds(at monotonic: Int64) -> Int64 { monotonic + offset }

    /// Returns the monotonic nanoseconds of a time in a frame bar.
    func monotonic(unixMicroseconds: UInt64) -> Int64 { Int64(clamping: unixMicroseconds) &* 1_000 &- offset }
}
