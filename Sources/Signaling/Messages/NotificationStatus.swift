/// Notifications about new messages of a conversation.
public enum NotificationStatus: Int, Hashable, Sendable, Codable, CaseIterable {
    case notify = 1
    /// Messages count as unread in the conversation, but not in the total, and cause no notification.
    case doNotDisturb = 2
}
