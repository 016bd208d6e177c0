/// Dependencies of the HTTP endpoints, apart from the media engine.
package struct ControlParts: Sendable {
    package var apps: AppDirectory
    package var tokens: any TokenVerifier
    package var tokenStatistics: TokenStatistics
    package let liveSessions: LiveSessions
    package let messages: MessageHub
    /// Live sessions as the admin API sees them.
    package var sessions: any SessionAdministration
    package var issues: any IssueStore
    package var webhooks: any WebhookSink
    package var webhookStatistics: WebhookStatistics
    package var drain: DrainControl
    /// Nil: HTTP without TLS.
    package var certificates: CertificateStore?
    /// Nil: the relay is not in a cluster.
    package var cluster: ClusterEdge?

    package init(
        apps: AppDirectory, tokens: any TokenVerifier, tokenStatistics: TokenStatistics, liveSessions: LiveSessions,
        messages: MessageHub? = nil, issues: any IssueStore, webhooks: any WebhookSink = NoWebhooks(),
        webhookStatistics: WebhookStatistics = WebhookStatistics(), drain: DrainControl = DrainControl(),
        certificates: CertificateStore? = nil
    ) {
        self.apps = apps
        self.tokens = tokens
        self.tokenStatistics = tokenStatistics
        self.liveSessions = liveSessions
        self.messages =
            messages
            ?? MessageHub(
                .disabled, statistics: liveSessions.statistics, logger: liveSessions.environment.logger)
        sessions = liveSessions
        self.issues = issues
        self.webhooks = webhooks
        self.webhookStatistics = webhookStatistics
        self.drain = drain
        self.certificates = certificates
    }
}
