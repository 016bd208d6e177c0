internal import Signaling

/// The WebSocket of a session, which carries its user's conversations as well. It comes back as the session does.
struct SessionLink: MessagingLink {
    let core: SessionCore

    func open(_ news: @escaping @Sendable (LinkNews) -> Void) async { await core.openMessaging(news) }

    func send(_ request: Request, ticket: UInt64) async { await core.sendMessaging(request, ticket: ticket) }

    /// The session's connection is not conversations' to give up: they are read again over the same one.
    func restart(retryAfter: Int?) async {
        if let retryAfter { try? await Task.sleep(for: .seconds(min(max(0, retryAfter), 3_600))) }
        await core.restartMessaging()
    }

    func close() async { await core.closeMessaging() }
}
