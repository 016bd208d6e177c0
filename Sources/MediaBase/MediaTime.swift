/// Point in time on the process-wide monotonic clock, or a time span, in nanoseconds. The core never reads a clock; callers pass the time
/// in.
///
/// No operation traps or wraps. Conversions and sums beyond 292 years saturate, so that `.never` plus a span stays `.never`, and extreme
/// values from a peer stay long spans.
public struct MediaTime: RawRepresentable, Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    /// Nanoseconds.
    public var rawValue: Int64
    @inlinable public init(rawValue: Int64) { self.rawValue = rawValue }

    @inlinable public static var zero: MediaTime { MediaTime(rawValue: 0) }
    /// Later than every deadline.
    @inlinable public static var never: MediaTime { MediaTime(rawValue: .max) }
    @inlinable public static func nanoseconds(_ n: Int64) -> MediaTime { MediaTime(rawValue: n) }
    @inlinable public static func microseconds(_ n: Int64) -> MediaTime { saturating(n, times: 1_000) }
    @inlinable public static func milliseconds(_ n: Int64) -> MediaTime { saturating(n, times: 1_000_000) }
    /// Rounds toward zero. NaN is zero; infinities and values beyond 292 years saturate.
    @inlinable public static func seconds(_ n: Double) -> MediaTime { MediaTime(rawValue: Int64(saturating: n * 1e9)) }

    @inlinable public var seconds: Double { Double(rawValue) / 1e9 }
    @inlinable public var milliseconds: Double { Double(rawValue) / 1e6 }

    @inlinable public static func < (a: MediaTime, b: MediaTime) -> Bool { a.rawValue < b.rawValue }
    @inlinable public static func + (a: MediaTime, b: MediaTime) -> MediaTime {
        let (sum, overflow) = a.rawValue.addingReportingOverflow(b.rawValue)
        return MediaTime(rawValue: overflow ? bound(of: a.rawValue) : sum)
    }
    @inlinable public static func - (a: MediaTime, b: MediaTime) -> MediaTime {
        let (difference, overflow) = a.rawValue.subtractingReportingOverflow(b.rawValue)
        return MediaTime(rawValue: overflow ? bound(of: a.rawValue) : difference)
    }
    @inlinable public static func += (a: inout MediaTime, b: MediaTime) { a = a + b }
    public var description: String { "\(seconds) s" }

    /// Returns the limit with the sign of `n`, for a sum or product that overflows.
    @inlinable static func bound(of n: Int64) -> Int64 { n < 0 ? .min : .max }

    @inlinable static func saturating(_ n: Int64, times factor: Int64) -> MediaTime {
        let (product, overflow) = n.multipliedReportingOverflow(by: factor)
        return MediaTime(rawValue: overflow ? bound(of: n) : product)
    }
}
