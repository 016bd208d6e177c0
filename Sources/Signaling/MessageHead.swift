/// What a client reads first of a message of the relay's: whether it answers a request, or tells of an event.
public struct MessageHead: Hashable, Sendable, Codable {
    /// Of the request that it answers.
    public var id: UInt32?
    /// Number of an event.
    public var seq: UInt64?
    public var event: String?
}
