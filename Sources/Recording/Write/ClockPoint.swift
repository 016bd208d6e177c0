package import MediaBase

/// Comparison of a file's time with the relay's clock, in the form of `index.json`. The points of a file show how much the publisher's
/// clock drifts.
package struct ClockPoint: Codable, Sendable, Hashable {
    /// Kind of the media that was compared: video takes longer from its capture to the relay than audio does.
    package var kind: MediaKind
    /// Seconds from the file's time zero.
    package var time: Double
    /// Seconds by which this media arrived later than the file's start plus `time`: the drift of the clock so far plus network delay.
    /// Negative if it arrived earlier.
    package var lag: Double
    /// Seconds from which on this and later points count, if the publisher's RTP time and the file's time were related otherwise before.
    package var since: Double?

    package init(kind: MediaKind, time: Double, lag: Double, since: Double? = nil) {
        self.kind = kind
        self.time = time
        self.lag = lag
        self.since = since
    }
}
