import Signaling

/// A way to the relay that carries requests and events of conversations: a WebSocket of its own, or that of a session.
///
/// Its methods are called one after another, so none of them waits for the relay.
protocol MessagingLink: Sendable {
    /// Begins; what becomes of it is told to `news`, which does not wait.
    func open(_ news: @escaping @Sendable (LinkNews) -> Void) async
    /// Sends; the answer follows as news with the same ticket, unless the link goes down before.
    func send(_ request: Request, ticket: UInt64) async
    /// Gives up what stands and connects again.
    /// - Parameter retryAfter: not before so many seconds.
    func restart(retryAfter: Int?) async
    func close() async
}
