package import Signaling

/// What a request about conversations is answered.
package enum MessagingAnswer: Hashable, Sendable {
    case done
    case loggedIn(LoginRequest.Answer)
    case sent(SendMessageRequest.Answer)
    case conversations(ConversationsRequest.Answer)
    case history(HistoryRequest.Answer)
    case changes(ConversationChangesRequest.Answer)
    case group(Group)
    /// How many messages a slice has removed, of users of `app`; nil: none was left to remove.
    case swept(Int?, app: String)
    /// Whether nothing is left of the user.
    case sliceRemoved(isDone: Bool)
}
