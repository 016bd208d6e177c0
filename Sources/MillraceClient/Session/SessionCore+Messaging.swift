import Foundation
import MediaBase
import Signaling

/// Conversations of the session's user over the session's WebSocket.
extension SessionCore {
    /// Attaches a messaging link. The link receives `ended` if another one is attached already, or if the session is neither connected
    /// nor connecting.
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

    /// Tells the link that it is down and up again, so that it logs in again.
    /// - Parameter retryAfter: delay in seconds.
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

    /// - Parameter unlessCancelled: true if the caller is a task that may have been cancelled after it woke.
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

    func sendMessaging(_ request: any RequestBody, ticket: UInt64, by link: UUID) {
        guard messaging?.link == link else { return }
        let own = takeTicket()
        messagingTickets[own] = ticket
        machine.request(request, ticket: own, now: ClientClock.now)
        perform()
    }

    /// Applies an event of the session to conversations.
    func messagingEvent(_ event: SessionEvent) {
        switch event {
        // The machine sends `didFail` before the change of status.
        case .didFail(let error): endMessaging(error)
        // If the relay refuses to end the session for all users, the status returns from `disconnecting` to `connected`; the link stayed
        // up.
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
