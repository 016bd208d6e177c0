package import MediaBase

/// NTP timestamp format (RFC 5905 section 6): 32 bits of seconds since 1900-01-01, 32 bits of fraction. Era 0 ends in
/// February 2036; differences are taken modulo 2^64, so they hold across it.
package struct NTPTime: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// Units of 2^-32 seconds since 1900.
    package var rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
    package init(seconds: UInt32, fraction: UInt32) { rawValue = UInt64(seconds) << 32 | UInt64(fraction) }

    /// Seconds from 1900-01-01 to 1970-01-01.
    package static let unixEpochSeconds: Int64 = 2_208_988_800

    package var seconds: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 32) }
    package var fraction: UInt32 { UInt32(truncatingIfNeeded: rawValue) }
    /// The middle 32 bits, as LSR has them (RFC 3550 section 6.4.1): units of 2^-16 seconds.
    package var compact: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 16) }

    /// - Parameter unixNanoseconds: nanoseconds since 1970, on the wall clock.
    package init(unixNanoseconds: Int64) {
        let (whole, rest) = Self.floorDivide(unixNanoseconds, 1_000_000_000)
        let seconds = UInt32(truncatingIfNeeded: whole &+ Self.unixEpochSeconds)
        self.init(seconds: seconds, fraction: Self.fraction(nanoseconds: rest))
    }

    /// Nanoseconds since 1970, rounded to the nearest. Seconds below 2^31 (before 1968 in era 0) are taken for the era that begins
    /// in 2036.
    package var unixNanoseconds: Int64 {
        var whole = Int64(seconds)
        if whole < 0x8000_0000 { whole += 0x1_0000_0000 }
        return (whole - Self.unixEpochSeconds) * 1_000_000_000 + Self.nanoseconds(fraction: fraction)
    }

    package func advanced(by span: MediaTime) -> NTPTime {
        let (whole, rest) = Self.floorDivide(span.rawValue, 1_000_000_000)
        let step = UInt64(bitPattern: whole) << 32 | UInt64(Self.fraction(nanoseconds: rest))
        return NTPTime(rawValue: rawValue &+ step)
    }

    /// Returns the time from `other` to `self`, within 68 years either way.
    package func distance(from other: NTPTime) -> MediaTime {
        let difference = Int64(bitPattern: rawValue &- other.rawValue)
        let whole = difference >> 32
        return MediaTime(
            rawValue: whole * 1_000_000_000 + Self.nanoseconds(fraction: UInt32(truncatingIfNeeded: difference)))
    }

    /// Returns a span in units of 2^-16 seconds, as in DLSR and DLRR (RFC 3550 section 6.4.1). Spans outside the range
    /// are clamped to 0 or about 18 hours.
    package static func compact(span: MediaTime) -> UInt32 {
        guard span.rawValue > 0 else { return 0 }
        guard span.rawValue < 65_536_000_000_000 else { return .max }
        return UInt32(truncatingIfNeeded: (span.rawValue << 16) / 1_000_000_000)
    }

    /// Returns the span of `compact` units of 2^-16 seconds.
    package static func span(compact: UInt32) -> MediaTime {
        MediaTime(rawValue: (Int64(compact) * 1_000_000_000 + 0x8000) >> 16)
    }

    package var description: String { "NTP \(seconds).\(String(fraction, radix: 16))" }

    private static func fraction(nanoseconds: Int64) -> UInt32 {
        UInt32(truncatingIfNeeded: (UInt64(bitPattern: nanoseconds) << 32) / 1_000_000_000)
    }
    private static func nanoseconds(fraction: UInt32) -> Int64 {
        Int64((UInt64(fraction) * 1_000_000_000 + 0x8000_0000) >> 32)
    }
    private static func floorDivide(_ value: Int64, _ by: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: by)
        return remainder < 0 ? (quotient - 1, remainder + by) : (quotient, remainder)
    }
}
