/// Apps and their tokens, webhooks, and reports of clients.
package enum AppKeys: ConfigurationSection {
    package static let title = "Apps, webhooks and reports"
    package static let keys: [ConfigurationKey] = [
        .text("apps", \.apps, .apps, "apps whose tokens open sessions").reloadable,
        .text(
            "app.default", \.appDefault, .app,
            "app of requests without a session token (WHIP, WHEP, plain transports); by default the first by name"),
        .integer(
            "token.leewaySeconds", \.tokenLeewaySeconds, 0...300,
            "tolerated clock difference between token issuers and the relay"),
        .text("webhook.url", \.webhookURL, .webhookURL, "URL to which session events are sent").reloadable,
        .text("webhook.secret", \.webhookSecret, .token, "secret that signs session events").reloadable,
        .integer("webhook.queue", \.webhookQueue, 1...1_000_000, "maximum number of events that wait to be sent")
            .reloadable,
        .integer(
            "webhook.retrySeconds", \.webhookRetrySeconds, 0...604_800,
            "time from an event to the last attempt to deliver it"
        ).reloadable,
        .integer(
            "issues.count", \.issuesCount, 1...100_000,
            "number of client reports that are kept; the oldest are dropped"),
        .integer("issues.bytes", \.issuesBytes, 1_024...(16 << 20), "maximum size of a report, in bytes"),
        .integer(
            "issues.packetHeaders", \.issuesPacketHeaders, 0...65_536,
            """
            number of packet headers kept for reports per video track (16 bytes each), newest packets; half as many \
            per audio track
            """),
        .integer(
            "quality.seconds", \.qualitySeconds, 0...86_400,
            """
            length of the quality timeline of each peer connection \
            ([admin.md](admin.md#quality-of-participants)), in seconds; 24 bytes each. 0 keeps none
            """),
        .text(
            "issues.directory", \.issuesDirectory, .directory,
            "directory of reports; by default they are kept in memory"),
    ]
}
