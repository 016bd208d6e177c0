import Conference
import Signaling

/// Subscriber without a control connection that `Conference` has admitted, before the engine has a transport for it. Ends in `viewing` or
/// `viewerLeft`.
struct ViewerTicket: Sendable {
    let liveSession: LiveSession
    let connection: ConnectionID
    /// Counts the subscriber's transport.
    let lease: ResourceLease

    /// Gives the ticket up if the engine could not open a transport.
    func leave() async { await liveSession.viewerLeft(connection) }
}
