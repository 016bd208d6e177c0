import Conference
import Signaling

/// A viewer without signalling that the rules have let in, before the engine has a transport for it. Ends in `viewing` or `viewerLeft`.
struct ViewerTicket: Sendable {
    let liveSession: LiveSession
    let connection: ConnectionID
    /// Counts its transport.
    let lease: ResourceLease

    /// The engine has no transport for it.
    func leave() async { await liveSession.viewerLeft(connection) }
}
