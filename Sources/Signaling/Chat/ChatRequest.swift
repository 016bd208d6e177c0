/// Id of a message of a session's chat.
public struct ChatMessageID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }
}

/// Sends a chat message to all users in the sender's subsession, or in the main session if it is in none, or to one of
/// them.
public struct ChatRequest: RequestBody {
    public static let method = "chat"
    public static let permission: Permission = .all
    /// 1 byte to 8 KiB of UTF-8.
    public var text: String
    /// Receiver; nil for all users, including the sender.
    public var to: ConnectionID?
    /// Id of the message, chosen by the client: 1 to 64 printable ASCII characters, unique among this user's messages.
    /// A repeated id is not delivered again and gets the same answer. Nil: the message cannot be recognized as a
    /// repetition.
    public var id: String?

    public init(text: String, to: ConnectionID? = nil, id: String? = nil) {
        self.text = text
        self.to = to
        self.id = id
    }

    /// Validation error, or nil if the request is valid. The relay uses the same check.
    public var objection: SignalingError? {
        id.flatMap { MessageIDRule.objection(to: $0, field: "id") } ?? TextRule.objection(to: text)
    }

    public struct Answer: Hashable, Sendable, Codable {
        public var message: ChatMessageID
        /// Milliseconds since 1970.
        public var time: Int64
        public init(message: ChatMessageID, time: Int64) {
            self.message = message
            self.time = time
        }
    }
}

/// Enables or disables the session's chat for all users. Only for the host.
public struct SetChatAllowedRequest: RequestBody {
    public static let method = "setChatAllowed"
    public static let permission: Permission = .host
    public var isAllowed: Bool
    public init(isAllowed: Bool) { self.isAllowed = isAllowed }
}
