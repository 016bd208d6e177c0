import Foundation
import Signaling

/// The WebSocket of a session, which carries its user's conversations as well. It comes back as the session does.
struct SessionLink: MessagingLink {
    let core: SessionCore
    /// By which the session knows whose commands count.
    private let id = UUID()

    init(core: SessionCore) { self.core = core }

    func open(_ news: @escaping @Sendable (LinkNews) -> Void) async {
        await core.openMessaging(MessagingSeat(link: id, news: news))
    }

    func send(_ request: Request, ticket: UInt64) async {
        await core.sendMessaging(request, ticket: ticket, by: id)
    }

    /// The session's connection is not conversations' to give up: they are read again over the same one.
    func restart(retryAfter: Int?) async { await core.restartMessaging(by: id, retryAfter: retryAfter) }

    func close() async { await core.closeMessaging(by: id) }
}
