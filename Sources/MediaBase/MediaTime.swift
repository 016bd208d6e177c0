/// A point on one process-wide monotonic clock, or a span of it: nanoseconds. The core never reads a clock; time is handed in.
public struct MediaTime: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Nanoseconds.
    public var rawValue: Int64
    @inlinable public init(rawValue: Int64) { self.rawValue = rawValue }

    @inlinable public static var zero: MediaTime { MediaTime(rawValue: 0) }
    /// Later than every deadline.
    @inlinable public static var never: MediaTime { MediaTime(rawValue: .max) }
    @inlinable public static func nanoseconds(_ n: Int64) -> MediaTime { MediaTime(rawValue: n) }
    @inlinable public static func microseconds(_ n: Int64) -> MediaTime { MediaTime(rawValue: n * 1_000) }
    @inlinable public static func milliseconds(_ n: Int64) -> MediaTime { MediaTime(rawValue: n * 1_000_000) }
    @inlinable public static func seconds(_ n: Double) -> MediaTime { MediaTime(rawValue: Int64(n * 1e9)) }

    @inlinable public var seconds: Double { Double(rawValue) / 1e9 }
    @inlinable public var milliseconds: Double { Double(rawValue) / 1e6 }

    @inlinable public static func < (a: MediaTime, b: MediaTime) -> Bool { a.rawValue < b.rawValue }
    @inlinable public static func + (a: MediaTime, b: MediaTime) -> MediaTime {
        MediaTime(rawValue: a.rawValue &+ b.rawValue)
    }
    @inlinable public static func - (a: MediaTime, b: MediaTime) -> MediaTime {
        MediaTime(rawValue: a.rawValue &- b.rawValue)
    }
    @inlinable public static func += (a: inout MediaTime, b: MediaTime) { a = a + b }
    public var description: String { "\(seconds) s" }
}
