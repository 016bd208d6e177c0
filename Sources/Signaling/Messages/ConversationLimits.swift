/// Limits of conversations that a client can check by itself.
public enum ConversationLimits {
    /// Conversations, messages or changes in one page.
    public static let pageSize = 1...100
    /// Bytes of UTF-8 texts in one page. A page that reaches them ends early and sets `hasMore`.
    public static let pageBytes = 256 * 1_024
    /// Printable ASCII characters of a message id.
    public static let messageIDCharacters = MessageIDRule.characters
    /// Characters of a user id.
    public static let userIDCharacters = 1...35
    /// Members of a group, including its owner.
    public static let groupMembers = 500
    /// Characters of a group's name and of a user's display name.
    public static let nameCharacters = 200
}
