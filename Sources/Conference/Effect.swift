package import Signaling

/// What is to be done for a session. Their order is the order on the wire; the answer to a request goes before its effects.
package enum Effect: Hashable, Sendable {
    /// To one connection, which may be lost at the moment: its outbox keeps the event.
    case send(ConnectionID, Event)
    /// The same event to many, so that it is encoded once.
    case broadcast(Audience, Event)
    /// After its last event, `disconnected`, is sent. Nothing follows for this connection.
    case close(ConnectionID, DisconnectReason)
    case media(MediaCommand)
    case hook(HookEvent)
    /// Last effect of a session: its name is free again.
    case ended(DisconnectReason)
}
