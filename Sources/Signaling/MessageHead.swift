/// Start of a message from the relay, which a client decodes first to tell answers from events.
public struct MessageHead: Hashable, Sendable, Codable {
    /// Id of the answered request.
    public var id: UInt32?
    /// Number of the event.
    public var seq: UInt64?
    public var event: String?
}
