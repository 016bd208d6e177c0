public import Signaling

/// Receiver of events of a user's conversations, one at a time, on the executor passed to
/// `MessagingClient.add(_:on:)`. All methods are optional.
public protocol MessagingDelegate: AnyObject, Sendable {
    /// Receives every event. The default implementation calls the method for the event; a delegate that
    /// implements this method replaces it.
    func messaging(_ client: MessagingClient, didReceive event: ConversationEvent)

    func messaging(_ client: MessagingClient, statusChanged status: SessionStatus)
    func messaging(_ client: MessagingClient, didFailWith error: SessionError)
    /// The conversation list has changed, as in `ConversationEvent.conversationsChanged`.
    func messaging(
        _ client: MessagingClient, added: [Conversation], updated: [Conversation], deleted: [ConversationRef])
    func messaging(_ client: MessagingClient, totalUnread: Int)
    func messaging(_ client: MessagingClient, received message: Message)
    func messaging(_ client: MessagingClient, notifiedOf message: Message)
    func messaging(_ client: MessagingClient, sent message: Message)
    func messaging(_ client: MessagingClient, refused message: OutgoingMessage, with error: SessionError)
    func messaging(_ client: MessagingClient, groupChanged group: GroupChanged)
    func messaging(_ client: MessagingClient, groupDismissed group: String)
    func messagingStoreReset(_ client: MessagingClient)
}

extension MessagingDelegate {
    public func messaging(_ client: MessagingClient, didReceive event: ConversationEvent) {
        switch event {
        case .statusChanged(let status): messaging(client, statusChanged: status)
        case .didFail(let error): messaging(client, didFailWith: error)
        case .conversationsChanged(let added, let updated, let deleted):
            messaging(client, added: added, updated: updated, deleted: deleted)
        case .totalUnreadChanged(let total): messaging(client, totalUnread: total)
        case .messageReceived(let message): messaging(client, received: message)
        case .notification(let message): messaging(client, notifiedOf: message)
        case .messageSent(let message): messaging(client, sent: message)
        case .messageRefused(let message, let error): messaging(client, refused: message, with: error)
        case .groupChanged(let group): messaging(client, groupChanged: group)
        case .groupDismissed(let group): messaging(client, groupDismissed: group)
        case .storeReset: messagingStoreReset(client)
        }
    }

    public func messaging(_ client: MessagingClient, statusChanged status: SessionStatus) {}
    public func messaging(_ client: MessagingClient, didFailWith error: SessionError) {}
    public func messaging(
        _ client: MessagingClient, added: [Conversation], updated: [Conversation], deleted: [ConversationRef]
    ) {}
    public func messaging(_ client: MessagingClient, totalUnread: Int) {}
    public func messaging(_ client: MessagingClient, received message: Message) {}
    public func messaging(_ client: MessagingClient, notifiedOf message: Message) {}
    public func messaging(_ client: MessagingClient, sent message: Message) {}
    public func messaging(_ client: MessagingClient, refused message: OutgoingMessage, with error: SessionError) {}
    public func messaging(_ client: MessagingClient, groupChanged group: GroupChanged) {}
    public func messaging(_ client: MessagingClient, groupDismissed group: String) {}
    public func messagingStoreReset(_ client: MessagingClient) {}
}
