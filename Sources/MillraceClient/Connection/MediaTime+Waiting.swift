import MediaBase

extension MediaTime {
    /// Returns the delay that the relay requested: at most one hour, zero if it requested none.
    /// - Parameter seconds: value sent by the relay.
    static func retryAfter(_ seconds: Int?) -> MediaTime { .seconds(Double(min(max(0, seconds ?? 0), 3_600))) }

    /// Duration configured by an application, clamped to zero ... one day. Adding an unbounded value such as `never`
    /// to a time would overflow.
    var bounded: MediaTime { min(max(self, .zero), .seconds(86_400)) }
}

extension Duration {
    /// Same as `MediaTime.bounded`.
    var bounded: MediaTime { MediaTime(self).bounded }
}
