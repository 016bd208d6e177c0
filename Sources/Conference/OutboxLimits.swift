/// Limits of one connection's events.
package struct OutboxLimits: Hashable, Sendable {
    /// Sent events that are kept for a client that resumes: number and total bytes.
    package var replayEvents = 1_024
    package var replayBytes = 512 * 1_024
    /// Unsent events, number and total bytes, from which a client is closed as a slow consumer.
    package var unsentEvents = 4_096
    package var unsentBytes = 8 * 1_024 * 1_024

    package init() {}
}
