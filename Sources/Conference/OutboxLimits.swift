/// Bounds of one connection's events.
package struct OutboxLimits: Hashable, Sendable {
    /// Sent events that are kept for a client that comes back: as many and as large together.
    package var replayEvents = 1_024
    package var replayBytes = 512 * 1_024
    /// Events that wait for a client that does not read: more, and it is closed as a slow consumer.
    package var unsentEvents = 4_096
    package var unsentBytes = 8 * 1_024 * 1_024

    package init() {}
}
