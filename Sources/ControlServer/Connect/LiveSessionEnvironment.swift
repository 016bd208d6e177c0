import ClusterLink
import Logging
import MediaEngine
import Signaling

/// Parts of the relay that a session uses.
struct LiveSessionEnvironment: Sendable {
    /// Parts for the core of a session.
    let context: SessionContext
    /// Media of the clients.
    let engine: any MediaPlane
    let issues: any IssueStore
    let hooks: any WebhookSink
    let pushes: RelayPushes
    let logger: Logger
    /// Placement of sessions and store of their state; nil without a cluster.
    let cluster: ClusterNode?
    /// Opens links to the relays of clients that are connected to other relays; nil: their media opens here.
    let caller: LinkCaller?
    /// Called when the session is over. `isElsewhere`: another relay runs it or will; otherwise its name is free.
    let onEnd: @Sendable (SessionID, _ isElsewhere: Bool) -> Void
    /// Called when the connection with this resume key is over.
    let onLeave: @Sendable (String) -> Void
}
