/// Where webhook events go.
package protocol WebhookSink: Sendable {
    /// Returns at once, whatever becomes of the event.
    func post(_ event: WebhookEvent)
}

/// For a relay without webhooks.
package struct NoWebhooks: WebhookSink {
    package init() {}
    package func post(_ event: WebhookEvent) {}
}
