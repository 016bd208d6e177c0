extension MediaTime {
    /// Rounds toward zero. Spans beyond 292 years saturate.
    public init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let whole = MediaTime.saturating(seconds, times: 1_000_000_000)
        self = whole + .nanoseconds(attoseconds / 1_000_000_000)
    }
}

extension Duration {
    public init(_ time: MediaTime) { self = .nanoseconds(time.rawValue) }
}
