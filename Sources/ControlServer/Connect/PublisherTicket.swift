import Conference
import Signaling

/// A publisher without signalling that the rules have let in, before the engine has a transport for it. Ends in `opened` or `refused`.
struct PublisherTicket: Sendable {
    let liveSession: LiveSession
    let connection: ConnectionID
    let plan: PublishPlan
    let isPlain: Bool
    let leases: PublisherLeases

    /// The stream's name, which is its id as well.
    var stream: String { plan.streams[0].id.rawValue }
}
