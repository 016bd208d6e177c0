import Conference
import Signaling

/// Publisher without a control connection that `Conference` has admitted, before the engine has a transport for it. Ends in `opened` or
/// `refused`.
struct PublisherTicket: Sendable {
    let liveSession: LiveSession
    let connection: ConnectionID
    let plan: PublishPlan
    let isPlain: Bool
    let leases: PublisherLeases

    /// Name of the stream, which is also its id.
    var stream: String { plan.streams[0].id.rawValue }
}
