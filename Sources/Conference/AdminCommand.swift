package import Signaling

/// What an operator orders; no role and no capability is asked for.
package enum AdminCommand: Hashable, Sendable {
    /// Unmuting is for streams of publishers without signalling: others unmute themselves (USR-8).
    case setMuted(StreamID, TrackKind, Bool)
    case muteUser(ConnectionID, TrackKind)
    case forceMuteAll(excluding: [StreamID])
    case disableForceMute
    case lockShare(Bool)
    case unpublish(StreamID)
    /// As a host's removal: the token is of no more use while the session lives.
    case remove(ConnectionID)
    /// From the application's server; nil: to everybody.
    case signal(type: String, data: String, to: ConnectionID?)
    /// The relay will end: clients are asked to move on (CON-6).
    case drain(Draining)
    case end
}
