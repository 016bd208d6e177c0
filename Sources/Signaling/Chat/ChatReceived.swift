/// A message of the session's chat. The sender also receives it, after the answer to its request.
public struct ChatReceived: Hashable, Sendable, Codable {
    public var message: ChatMessageID
    public var from: ConnectionID
    /// Display name of the sender if it is only counted, not listed; otherwise nil.
    public var name: String?
    /// Receiver; nil if the message is for all users in the main session or subsession.
    public var to: ConnectionID?
    public var text: String
    /// Milliseconds since 1970.
    public var time: Int64
    /// Subsession that the message was sent in; nil for the main session.
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

public struct ChatAllowedChanged: Hashable, Sendable, Codable {
    public var isAllowed: Bool
    public init(isAllowed: Bool) { self.isAllowed = isAllowed }
}
