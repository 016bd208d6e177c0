import Signaling

/// Connection to the relay for requests and events of conversations: a WebSocket of its own, or that of a session.
///
/// Callers serialize the calls, so no method waits for the relay.
protocol MessagingLink: Sendable {
    /// Opens the link; `news` receives its notifications and must not block.
    func open(_ news: @escaping @Sendable (LinkNews) -> Void) async
    /// Sends a request; the answer follows as a notification with the same ticket, unless the link goes down first.
    func send(_ request: any RequestBody, ticket: UInt64) async
    /// Closes the current connection and connects again.
    /// - Parameter retryAfter: minimum delay in seconds.
    func restart(retryAfter: Int?) async
    func close() async
}
