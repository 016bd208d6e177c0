/// Effect of a moderator's request to unmute a user.
public enum UnmutePolicy: String, Hashable, Sendable, Codable, CaseIterable {
    /// The user's client is asked, and the user decides.
    case request
    /// The user is unmuted at once.
    case direct
}
