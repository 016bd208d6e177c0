import Foundation
import MediaBase
import Signaling

/// Conversations of the session's user, by its WebSocket.
extension SessionCore {
    /// Takes the one seat there is for conversations. Where it is taken, or where no session stands or is being joined, the link is told
    /// that it has ended.
    func openMessaging(_ seat: MessagingSeat) {
        if let messaging, messaging.link != seat.link {
            return seat.news(
                .ended(SessionError(.alreadyJoined, "another messaging client uses this session's connection")))
        }
        switch machine.status {
        case .notConnected, .failed: seat.news(.ended(SessionError(.notConnected, "the session is not connected")))
        case .connected:
            messaging = seat
            messagingUp()
        case .connecting, .reconnecting, .disconnecting: messaging = seat
        }
    }

    private func messagingUp() {
        isMessagingUp = true
        messaging?.news(.up)
    }

    func closeMessaging(by link: UUID) {
        guard messaging?.link == link else { return }
        leaveMessaging()
    }

    /// - Parameter retryAfter: seconds to wait before.
    func restartMessaging(by link: UUID, retryAfter: Int?) {
        guard messaging?.link == link else { return }
        messagingRestart?.cancel()
        messagingRestart = nil
        let wait = MediaTime.retryAfter(retryAfter)
        guard wait > .zero else { return messagingAgain() }
        messagingRestart = Task { [weak self] in
            do { try await Task.sleep(for: .nanoseconds(wait.rawValue)) } catch { return }
            await self?.messagingAgain(unlessCancelled: true)
        }
    }

    /// - Parameter unlessCancelled: it is called by a task that may have been cancelled since it woke.
    private func messagingAgain(unlessCancelled: Bool = false) {
        if unlessCancelled {
            guard !Task.isCancelled else { return }
            messagingRestart = nil
        }
        guard machine.status == .connected else { return }
        messagingTickets = [:]
        messaging?.news(.down)
        messagingUp()
    }

    func sendMessaging(_ request: Request, ticket: UInt64, by link: UUID) {
        guard messaging?.link == link else { return }
        let own = takeTicket()
        messagingTickets[own] = ticket
        machine.request(request, ticket: own, now: ClientClock.now)
        perform()
    }

    /// What an event of the session means for conversations.
    func messagingEvent(_ event: SessionEvent) {
        switch event {
        // The machine's word that the session has failed; its status follows.
        case .didFail(let error): endMessaging(error)
        // A refused end of the session for all leads back here from `disconnecting`: the link was up all the time.
        case .statusChanged(.connected): if !isMessagingUp { messagingUp() }
        case .statusChanged(.reconnecting):
            isMessagingUp = false
            messagingRestart?.cancel()
            messagingRestart = nil
            messagingTickets = [:]
            messaging?.news(.down)
        case .statusChanged(.notConnected), .statusChanged(.failed):
            endMessaging(SessionError(.notConnected, "the session has ended"))
        default: break
        }
    }

    private func endMessaging(_ error: SessionError) {
        let seat = messaging
        leaveMessaging()
        seat?.news(.ended(error))
    }

    private func leaveMessaging() {
        isMessagingUp = false
        messaging = nil
        messagingTickets = [:]
        messagingRestart?.cancel()
        messagingRestart = nil
    }
}
