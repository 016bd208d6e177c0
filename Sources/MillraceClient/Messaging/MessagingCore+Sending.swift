import Foundation
import MediaBase
import Signaling

/// Sends queued messages one at a time, so that a loss cannot change their order.
extension MessagingCore {
    func send(_ text: String, to conversation: ConversationRef) async throws(SessionError) -> OutgoingMessage {
        let message = OutgoingMessage(
            id: UUID().uuidString, conversation: conversation, text: text,
            time: Int64(Date().timeIntervalSince1970 * 1_000))
        let request = SendMessageRequest(conversation: conversation, message: message.id, text: text)
        if let objection = request.objection { throw SessionError(objection) }
        try await store.add(message, limit: configuration.outgoingLimit)
        await flush()
        return message
    }

    /// Sends the next message, unless one is being sent.
    func flush() async {
        guard isInStep, sending == nil, retry == nil else { return }
        do throws(SessionError) {
            guard let next = try await store.nextOutgoing() else { return }
            // The state may have changed while the store was read.
            guard isInStep, sending == nil, retry == nil else { return }
            sending = next
            let request = SendMessageRequest(conversation: next.conversation, message: next.id, text: next.text)
            ask(request, .outgoing(next))
        } catch {
            await failed(error)
        }
    }

    func take(_ result: Result<SendMessageRequest.Answer, SignalingError>, for message: OutgoingMessage) async {
        sending = nil
        do throws(SessionError) {
            switch result {
            case .success(let answer):
                if let sent = try await store.confirm(message, answer, isLive: isInStep) {
                    board.send(.messageSent(sent))
                }
            case .failure(let error):
                guard error.code != .notConnected else { return }
                guard !error.isPassing, error.code != .storageFailed else { return tryAgain(after: error.retryAfter) }
                try await store.drop(message)
                board.send(.messageRefused(message, SessionError(error)))
            }
        } catch {
            return await failed(error)
        }
        await flush()
    }

    /// Schedules another attempt.
    /// - Parameter seconds: delay requested by the relay.
    private func tryAgain(after seconds: Int?) {
        let wait = max(configuration.retryDelay.bounded, .retryAfter(seconds))
        retry = Task { [weak self] in
            do { try await Task.sleep(for: .nanoseconds(wait.rawValue)) } catch { return }
            await self?.sendAgain()
        }
    }

    private func sendAgain() async {
        retry = nil
        await flush()
    }
}
