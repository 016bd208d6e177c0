import MediaEngine

/// What the receiving thread needs to play one subscriber.
struct SubscriberSetup: Sendable {
    /// Unique in the run.
    let index: Int
    let transport: PlainTransport
    let socket: UDPSocket
    /// When the join began: monotonic nanoseconds.
    let joined: Int64
    /// Present for those whose media is decoded.
    let feed: SampleFeed?
}
