internal import MediaBase

extension MediaTime {
    /// How long the relay wants a client to wait: an hour at most, nothing where it did not say.
    /// - Parameter seconds: as the relay said.
    static func retryAfter(_ seconds: Int?) -> MediaTime { .seconds(Double(min(max(0, seconds ?? 0), 3_600))) }
}
