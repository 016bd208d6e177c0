import Conference
import Logging
import MediaEngine
import Signaling

/// What a session needs of the relay around it.
struct LiveSessionEnvironment: Sendable {
    let engine: MediaEngine
    let configuration: ConnectConfiguration
    let statistics: ControlStatistics
    let iceServers: [ICEServerInfo]
    let issues: any IssueStore
    let hooks: any WebhookSink
    let passwords: PasswordGuard
    let reports: ReportGuard
    let recorded = RecordedStreams()
    let resources: ResourceAccounts
    let logger: Logger
    /// The session is over: its name is free.
    let onEnd: @Sendable (SessionID) -> Void
    /// The connection with this resume token is over.
    let onLeave: @Sendable (String) -> Void
}
