/// A message of the session's chat; its sender gets it as well, after the answer to its request.
public struct ChatReceived: Hashable, Sendable, Codable {
    public var message: ChatMessageID
    public var from: ConnectionID
    /// Display name of a sender that is counted, not listed; else nil.
    public var name: String?
    /// Nil: to everybody in the room.
    public var to: ConnectionID?
    public var text: String
    /// Milliseconds since 1970.
    public var time: Int64
    /// The room; nil: the main session.
    public var subsession: SubsessionID?

    public init(
        message: ChatMessageID, from: ConnectionID, name: String? = nil, to: ConnectionID? = nil, text: String,
        time: Int64, subsession: SubsessionID? = nil
    ) {
        self.message = message
        self.from = from
        self.name = name
        self.to = to
        self.text = text
        self.time = time
        self.subsession = subsession
    }
}
