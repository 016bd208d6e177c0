/// Reference to a conversation from one user's view.
public struct ConversationRef: Hashable, Sendable, Codable {
    public var type: ConversationType
    /// Id of the other user (`user_identity` of its token) or of the group.
    public var id: String

    public init(type: ConversationType, id: String) {
        self.type = type
        self.id = id
    }

    public static func peer(_ user: String) -> ConversationRef { ConversationRef(type: .peer, id: user) }
    public static func group(_ id: String) -> ConversationRef { ConversationRef(type: .group, id: id) }
}
