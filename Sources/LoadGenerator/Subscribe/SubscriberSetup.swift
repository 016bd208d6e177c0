import MediaEngine

/// Parameters of one subscriber for the receiving thread.
struct SubscriberSetup: Sendable {
    /// Unique in the run.
    let index: Int
    let transport: PlainTransport
    let socket: UDPSocket
    /// Time at which the join began, in monotonic nanoseconds.
    let joined: Int64
    /// Set if the subscriber's media is decoded.
    let feed: SampleFeed?
}
