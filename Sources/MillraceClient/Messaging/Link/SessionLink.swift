import Foundation
import Signaling

/// WebSocket of a session, shared by its user's conversations. It reconnects together with the session.
struct SessionLink: MessagingLink {
    let core: SessionCore
    /// Identifies this link's commands to the session.
    private let id = UUID()

    init(core: SessionCore) { self.core = core }

    func open(_ news: @escaping @Sendable (LinkNews) -> Void) async {
        await core.openMessaging(MessagingSeat(link: id, news: news))
    }

    func send(_ request: any RequestBody, ticket: UInt64) async {
        await core.sendMessaging(request, ticket: ticket, by: id)
    }

    /// Logs in again over the same connection, because the connection belongs to the session.
    func restart(retryAfter: Int?) async { await core.restartMessaging(by: id, retryAfter: retryAfter) }

    func close() async { await core.closeMessaging(by: id) }
}
