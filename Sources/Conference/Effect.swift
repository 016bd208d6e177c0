package import Signaling

/// Output of a conference. Effects are sent in their order, after the answer to the request that caused them.
package enum Effect: Hashable, Sendable {
    /// Event to one connection. If the connection is lost, its outbox keeps the event.
    case send(ConnectionID, Event)
    /// Event to many connections, encoded once.
    case broadcast(Audience, Event)
    /// Closes a connection after its last event, `disconnected`, is sent. No effect follows for this connection.
    case close(ConnectionID, DisconnectReason)
    case media(MediaCommand)
    case push(PushCommand)
    case hook(HookEvent)
    /// Last effect of a session: its name can be used again.
    case ended(DisconnectReason)
}
