/// Whether new messages of a conversation call its user.
public enum NotificationStatus: Int, Hashable, Sendable, Codable, CaseIterable {
    case notify = 1
    /// Counted in the conversation, but not in the total, and not notified.
    case doNotDisturb = 2
}
