public import Signaling

/// Told of a user's conversations, one event at a time, where the application said. All methods can be left out.
public protocol MessagingDelegate: AnyObject, Sendable {
    /// Each event; calls the method that belongs to it unless the delegate has its own of this.
    func messaging(_ client: MessagingClient, didReceive event: ConversationEvent)

    func messaging(_ client: MessagingClient, changed conversations: [Conversation], deleted: [ConversationRef])
    func messaging(_ client: MessagingClient, totalUnread: Int)
    func messaging(_ client: MessagingClient, received message: Message)
    func messaging(_ client: MessagingClient, notifiedOf message: Message)
    func messaging(_ client: MessagingClient, sent message: Message)
    func messaging(_ client: MessagingClient, refused message: OutgoingMessage, with error: SessionError)
}

extension MessagingDelegate {
    public func messaging(_ client: MessagingClient, didReceive event: ConversationEvent) {
        switch event {
        case .conversationsChanged(let conversations, let deleted):
            messaging(client, changed: conversations, deleted: deleted)
        case .totalUnreadChanged(let total): messaging(client, totalUnread: total)
        case .messageReceived(let message): messaging(client, received: message)
        case .notification(let message): messaging(client, notifiedOf: message)
        case .messageSent(let message): messaging(client, sent: message)
        case .messageRefused(let message, let error): messaging(client, refused: message, with: error)
        case .statusChanged, .didFail, .groupChanged, .groupDismissed, .storeReset: break
        }
    }

    public func messaging(_ client: MessagingClient, changed conversations: [Conversation], deleted: [ConversationRef])
    {}
    public func messaging(_ client: MessagingClient, totalUnread: Int) {}
    public func messaging(_ client: MessagingClient, received message: Message) {}
    public func messaging(_ client: MessagingClient, notifiedOf message: Message) {}
    public func messaging(_ client: MessagingClient, sent message: Message) {}
    public func messaging(_ client: MessagingClient, refused message: OutgoingMessage, with error: SessionError) {}
}
