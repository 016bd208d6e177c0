package import Signaling

/// Answer to a request about conversations.
package enum MessagingAnswer: Hashable, Sendable {
    case done
    case loggedIn(LoginRequest.Answer)
    case sent(SendMessageRequest.Answer)
    case conversations(ConversationsRequest.Answer)
    case history(HistoryRequest.Answer)
    case changes(ConversationChangesRequest.Answer)
    case group(Group)
    /// Number of messages that a slice removed, and the app of their users; nil if nothing was left to remove.
    case swept(Int?, app: String)
    /// Whether the user is completely removed.
    case sliceRemoved(isDone: Bool)
}
