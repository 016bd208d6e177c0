public import Signaling

/// Event of a user's conversations. The local store already contains the change when its event is delivered.
public enum ConversationEvent: Hashable, Sendable {
    case statusChanged(SessionStatus)
    /// The error with which the client failed.
    case didFail(SessionError)
    /// Conversations that were added to the list or returned to it, that changed (last message, unread count, name or other state), or
    /// that left it. Unchanged conversations are not included.
    case conversationsChanged(added: [Conversation], updated: [Conversation], deleted: [ConversationRef])
    /// Number of unread messages in all conversations that are not muted.
    case totalUnreadChanged(Int)
    /// A new message, including the user's own messages from other clients.
    case messageReceived(Message)
    /// A new message of another user in a conversation that is not muted, for the application to notify the user.
    case notification(Message)
    /// A message of the local user is on the relay's disk.
    case messageSent(Message)
    /// The relay has refused a message of the local user; the client does not send it again.
    case messageRefused(OutgoingMessage, SessionError)
    /// A group of the user is new, or its members or its owner have changed. At most the first 20 users who joined or left are listed;
    /// `MessagingClient.group(_:)` returns all members.
    case groupChanged(GroupChanged)
    case groupDismissed(String)
    /// The relay's store has been replaced: the local copy was deleted and is read again.
    case storeReset
}
