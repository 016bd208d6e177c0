/// Receiver of webhook events inside the relay.
package protocol WebhookSink: Sendable {
    /// Takes an event and returns at once, whether or not it can be delivered.
    func post(_ event: WebhookEvent)
}

/// Sink of a relay without webhooks.
package struct NoWebhooks: WebhookSink {
    package init() {}
    package func post(_ event: WebhookEvent) {}
}
