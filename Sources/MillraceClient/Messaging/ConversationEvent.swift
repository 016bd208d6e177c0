public import Signaling

/// What happens to a user's conversations. The local store holds each change before it is told.
public enum ConversationEvent: Hashable, Sendable {
    case statusChanged(SessionStatus)
    /// The error that the client failed with.
    case didFail(SessionError)
    /// Conversations that are new on the list, or back on it; those on it with a new last message, unread count, name or other state; and
    /// those that left it. Only what changed is named.
    case conversationsChanged(added: [Conversation], updated: [Conversation], deleted: [ConversationRef])
    /// Of all conversations that are not muted.
    case totalUnreadChanged(Int)
    /// A new message; also one's own that another client sent.
    case messageReceived(Message)
    /// A new message of somebody else that the user is to notice: of no muted conversation.
    case notification(Message)
    /// A message of one's own is on the relay's disk.
    case messageSent(Message)
    /// The relay does not take a message of one's own: it will not be tried again.
    case messageRefused(OutgoingMessage, SessionError)
    /// A group that one is a member of is new, or has other members or another owner. Its first 20 newcomers and leavers are named;
    /// `MessagingClient.group(_:)` tells all members.
    case groupChanged(GroupChanged)
    case groupDismissed(String)
    /// The relay's store is another one: what was stored here was dropped, and is read again.
    case storeReset
}
