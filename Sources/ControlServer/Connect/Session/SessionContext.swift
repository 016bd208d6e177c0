import Cluster
import NIOConcurrencyHelpers
import Recording
import Signaling

/// Parts of the relay that the core of a session uses. None of them makes it wait.
struct SessionContext: Sendable {
    /// State of the relay in its cluster.
    struct Cluster: Sendable {
        /// Returns the right to run a session; nil while this relay has none.
        let tenure: @Sendable (SessionID) -> SessionTenure?
        /// Returns whether the relay may run rules, and whether no relay reaches the store.
        let standing: @Sendable () -> (acts: Bool, isStoreDown: Bool)
        /// Returns whether media of clients that a relay proxies may open there.
        let mayLink: @Sendable (RelayIdentity) -> Bool
        /// Returns the other relays that may have media of a session, with whether they have sent a heartbeat lately.
        var others: @Sendable () -> [RelayIdentity: Bool] = { [:] }
    }

    /// Configuration that a running relay can replace.
    let shared: NIOLockedValueBox<ConnectConfiguration>
    var configuration: ConnectConfiguration { shared.withLockedValue { $0 } }
    let statistics: ControlStatistics
    let iceServers: [ICEServerInfo]
    let passwords: PasswordGuard
    let reports: ReportGuard
    let recorded = RecordedStreams()
    /// Writes chat, joins, leaves and moves beside recordings; nil: they are not recorded.
    let journal: JournalWriter?
    let resources: ResourceAccounts
    /// Nil without a cluster.
    let cluster: Cluster?

    /// Whether the relay may run the rules of its sessions; without a cluster always.
    var mayAct: Bool { cluster?.standing().acts ?? true }
}
