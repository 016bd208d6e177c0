/// Conversion of time into RTP clock ticks.
enum RTPTicks {
    /// Returns the clock ticks in a span of nanoseconds; exact for spans of years.
    static func ticks(nanoseconds: Int64, clockRate: Int64) -> Int64 {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return seconds * clockRate + rest * clockRate / 1_000_000_000
    }
}
