import ArgumentParser

/// Apps and their tokens, webhooks, and reports of clients.
struct AppOptions: ConfigurationOptionGroup {
    @Option(help: .key("apps")) var apps: String?
    @Option(help: .key("app.default")) var appDefault: String?
    @Option(help: .key("token.leewaySeconds")) var tokenLeewaySeconds: String?
    @Option(help: .key("webhook.url")) var webhookUrl: String?
    @Option(help: .key("webhook.secret")) var webhookSecret: String?
    @Option(help: .key("webhook.queue")) var webhookQueue: String?
    @Option(help: .key("webhook.retrySeconds")) var webhookRetrySeconds: String?
    @Option(help: .key("issues.count")) var issuesCount: String?
    @Option(help: .key("issues.bytes")) var issuesBytes: String?
    @Option(help: .key("issues.packetHeaders")) var issuesPacketHeaders: String?
    @Option(help: .key("issues.directory", valueName: "directory")) var issuesDirectory: String?

    var given: [String: String?] {
        [
            "apps": apps,
            "app.default": appDefault,
            "token.leewaySeconds": tokenLeewaySeconds,
            "webhook.url": webhookUrl,
            "webhook.secret": webhookSecret,
            "webhook.queue": webhookQueue,
            "webhook.retrySeconds": webhookRetrySeconds,
            "issues.count": issuesCount,
            "issues.bytes": issuesBytes,
            "issues.packetHeaders": issuesPacketHeaders,
            "issues.directory": issuesDirectory,
        ]
    }
}
