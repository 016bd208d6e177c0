import MediaBase

extension MediaTime {
    /// How long the relay wants a client to wait: an hour at most, nothing where it did not say.
    /// - Parameter seconds: as the relay said.
    static func retryAfter(_ seconds: Int?) -> MediaTime { .seconds(Double(min(max(0, seconds ?? 0), 3_600))) }

    /// A time to wait as an application set it: from nothing to a day. `never` added to a time would lie in the past.
    var bounded: MediaTime { min(max(self, .zero), .seconds(86_400)) }
}

extension Duration {
    /// The same as `MediaTime.bounded`.
    var bounded: MediaTime { MediaTime(self).bounded }
}
