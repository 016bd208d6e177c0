/// What stands behind the control doors, besides the media engine.
package struct ControlParts: Sendable {
    package var apps: AppDirectory
    package var tokens: any TokenVerifier
    package var tokenStatistics: TokenStatistics
    package let rooms: Rooms
    package let messages: MessageHub
    /// The rooms, seen through a slit.
    package var sessions: any SessionsDoor
    package var issues: any IssueStore
    package var webhooks: any WebhookSink
    package var webhookStatistics: WebhookStatistics
    package var drain: DrainControl
    /// Nil: HTTP without TLS.
    package var certificates: CertificateStore?

    package init(
        apps: AppDirectory, tokens: any TokenVerifier, tokenStatistics: TokenStatistics, rooms: Rooms,
        messages: MessageHub? = nil, issues: any IssueStore, webhooks: any WebhookSink = NoWebhooks(),
        webhookStatistics: WebhookStatistics = WebhookStatistics(), drain: DrainControl = DrainControl(),
        certificates: CertificateStore? = nil
    ) {
        self.apps = apps
        self.tokens = tokens
        self.tokenStatistics = tokenStatistics
        self.rooms = rooms
        self.messages =
            messages
            ?? MessageHub(
                .disabled, statistics: rooms.environment.statistics, logger: rooms.environment.logger)
        sessions = rooms
        self.issues = issues
        self.webhooks = webhooks
        self.webhookStatistics = webhookStatistics
        self.drain = drain
        self.certificates = certificates
    }
}
