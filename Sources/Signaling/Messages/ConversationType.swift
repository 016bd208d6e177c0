/// Kind of a conversation.
public enum ConversationType: Int, Hashable, Sendable, Codable, CaseIterable {
    /// Two users.
    case peer = 0
    case group = 2
}
