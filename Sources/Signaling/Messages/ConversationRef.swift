/// Names a conversation, as one of its users sees it.
public struct ConversationRef: Hashable, Sendable, Codable {
    public var type: ConversationType
    /// The other user's id (`user_identity` of its token), or the id of the group.
    public var id: String

    public init(type: ConversationType, id: String) {
        self.type = type
        self.id = id
    }

    public static func peer(_ user: String) -> ConversationRef { ConversationRef(type: .peer, id: user) }
    public static func group(_ id: String) -> ConversationRef { ConversationRef(type: .group, id: id) }
}
