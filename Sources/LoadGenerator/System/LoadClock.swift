import CLinuxNet

/// The generator's one clock: monotonic, and tied once to the time of day so that what is burned into pictures can be read by
/// another process on this machine. Later steps of the system clock do not show.
package struct LoadClock: Sendable {
    /// Nanoseconds to add to the monotonic clock to get nanoseconds since 1970.
    private let offset: Int64

    package init() { offset = millrace_realtime_ns() - millrace_monotonic_ns() }

    /// Monotonic nanoseconds.
    package static var now: Int64 { millrace_monotonic_ns() }

    /// Microseconds since 1970-01-01 UTC at a monotonic time.
    package func unixMicroseconds(at monotonic: Int64) -> UInt64 { UInt64(max(0, monotonic + offset) / 1_000) }

    /// Nanoseconds since 1970-01-01 UTC at a monotonic time.
    package func unixNanoseconds(at monotonic: Int64) -> Int64 { monotonic + offset }

    /// Monotonic nanoseconds of a burned-in time.
    package func monotonic(unixMicroseconds: UInt64) -> Int64 { Int64(clamping: unixMicroseconds) &* 1_000 &- offset }
}
