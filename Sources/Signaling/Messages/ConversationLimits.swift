/// Limits of conversations that a client can check by itself.
public enum ConversationLimits {
    /// Of a list, of a history, of changes.
    public static let pageSize = 1...100
    /// Of UTF-8: a page ends early where its texts have reached so many, and says that there is more.
    public static let pageBytes = 256 * 1_024
    /// Of a message's id, printable ASCII.
    public static let messageIDCharacters = MessageIDRule.characters
    /// Of a user's id.
    public static let userIDCharacters = 1...35
    /// With its owner.
    public static let groupMembers = 500
    /// Of a group, and of a user's display name.
    public static let nameCharacters = 200
}
