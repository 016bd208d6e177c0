import TestMedia

/// Interval of a run.
struct TimelinePoint: Sendable {
    /// State at the ends of the interval. Its times are nanoseconds since the first subscriber joined.
    var period: Measurement
    /// True if the interval ends after the ramp, in the measured time.
    var isMeasured = false
    /// Time from capture to decoding, in microseconds.
    var latency = Distribution()
    /// Share of a core that the generator's busiest thread took, 0...1.
    var busiestThread = 0.0

    /// Appends the next interval to this one.
    mutating func append(_ next: TimelinePoint) {
        period.end = next.period.end
        isMeasured = next.isMeasured
        latency.merge(next.latency)
        busiestThread = max(busiestThread, next.busiestThread)
    }
}
