internal import Signaling

/// Conversations of the session's user, by its WebSocket.
extension SessionCore {
    func openMessaging(_ news: @escaping @Sendable (LinkNews) -> Void) {
        messaging = news
        if machine.status == .connected { news(.up) }
    }

    func closeMessaging() {
        messaging = nil
        messagingTickets = [:]
    }

    func restartMessaging() {
        guard machine.status == .connected else { return }
        messagingTickets = [:]
        messaging?(.down)
        messaging?(.up)
    }

    func sendMessaging(_ request: Request, ticket: UInt64) {
        let own = takeTicket()
        messagingTickets[own] = ticket
        machine.request(request, ticket: own, now: ClientClock.now)
        perform()
    }

    /// What the status of the session means for conversations.
    func messagingEvent(_ status: SessionStatus) {
        switch status {
        case .connected: messaging?(.up)
        case .reconnecting, .notConnected, .failed:
            messagingTickets = [:]
            messaging?(.down)
        case .connecting, .disconnecting: break
        }
    }
}
