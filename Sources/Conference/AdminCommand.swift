package import Signaling

/// A command of the operator, from the admin API. It is subject to no role and no capability.
package enum AdminCommand: Hashable, Sendable {
    /// Only streams of publishers without signalling can be unmuted; clients unmute their own streams (USR-8).
    case setMuted(StreamID, TrackKind, Bool)
    case muteUser(ConnectionID, TrackKind)
    case forceMuteAll(excluding: [StreamID])
    case disableForceMute
    case lockShare(Bool)
    case unpublish(StreamID)
    /// Has the effect of a removal by the host: the token is refused for the rest of the session.
    case remove(ConnectionID)
    /// Signal from the application's server; nil sends it to all clients.
    case signal(type: String, data: String, to: ConnectionID?)
    /// The relay will shut down: asks clients to reconnect to another address or later (CON-6).
    case drain(Draining)
    case end
}
