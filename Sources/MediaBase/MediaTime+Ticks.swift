extension MediaTime {
    /// Returns the time in ticks of a media clock; exact for times of years.
    /// - Parameter clockRate: ticks per second.
    package func ticks(clockRate: Int64) -> Int64 {
        let (seconds, rest) = rawValue.quotientAndRemainder(dividingBy: 1_000_000_000)
        return seconds &* clockRate &+ rest &* clockRate / 1_000_000_000
    }
}
