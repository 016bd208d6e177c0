import ClusterLink
import Conference
import Logging
import MediaEngine
import NIOConcurrencyHelpers
import Recording
import Signaling

/// Parts of the relay that a session uses.
struct LiveSessionEnvironment: Sendable {
    /// Media of the clients.
    let engine: any MediaPlane
    /// Configuration that a running relay can replace.
    let shared: NIOLockedValueBox<ConnectConfiguration>
    var configuration: ConnectConfiguration { shared.withLockedValue { $0 } }
    let statistics: ControlStatistics
    let iceServers: [ICEServerInfo]
    let issues: any IssueStore
    let hooks: any WebhookSink
    let passwords: PasswordGuard
    let reports: ReportGuard
    let recorded = RecordedStreams()
    /// Writes chat beside recordings; nil: it is not recorded.
    let journal: JournalWriter?
    let pushes: RelayPushes
    let resources: ResourceAccounts
    let logger: Logger
    /// Returns whether the relay may run the rules of its sessions; without a cluster always.
    let mayAct: @Sendable () -> Bool
    /// Placement of sessions and store of their state; nil without a cluster.
    let cluster: ClusterNode?
    /// Opens links to the relays of clients that are connected to other relays; nil: their media opens here.
    let caller: LinkCaller?
    /// Called when the session is over. `isElsewhere`: another relay runs it or will; otherwise its name is free.
    let onEnd: @Sendable (SessionID, _ isElsewhere: Bool) -> Void
    /// Called when the connection with this resume key is over.
    let onLeave: @Sendable (String) -> Void
}
