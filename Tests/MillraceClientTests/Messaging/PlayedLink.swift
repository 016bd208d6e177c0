import Foundation
import Signaling

@testable import MillraceClient

/// Link whose relay side a test plays.
actor PlayedLink: MessagingLink {
    struct Asked: Sendable {
        var request: any RequestBody
        var ticket: UInt64
    }

    private var news: (@Sendable (LinkNews) -> Void)?
    private var asked: [Asked] = []
    private var waiting: CheckedContinuation<Asked, Never>?
    private(set) var restarts: [Int?] = []
    private(set) var isClosed = false
    /// Commands that the link received, except for requests, in order.
    private(set) var told: [String] = []

    func open(_ news: @escaping @Sendable (LinkNews) -> Void) {
        self.news = news
        isClosed = false
        told.append("open")
        news(.up)
    }

    func send(_ request: any RequestBody, ticket: UInt64) {
        let next = Asked(request: request, ticket: ticket)
        if let waiting {
            self.waiting = nil
            waiting.resume(returning: next)
        } else {
            asked.append(next)
        }
    }

    func restart(retryAfter: Int?) {
        restarts.append(retryAfter)
        news?(.down)
        news?(.up)
    }

    func close() {
        isClosed = true
        told.append("close")
    }

    // MARK: the relay

    /// Returns the next request.
    func next() async -> Asked {
        guard asked.isEmpty else { return asked.removeFirst() }
        return await withCheckedContinuation { waiting = $0 }
    }

    func cut() { news?(.down) }
    func stand() { news?(.up) }
    func end(_ error: SessionError) { news?(.ended(error)) }
    func tell(_ event: MessagingEvent) { news?(.event(event)) }

    func answer<Answer: Hashable & Sendable & Codable>(_ asked: Asked, _ result: Result<Answer, SignalingError>) {
        guard let data = try? JSONEncoder().encode(ResultMessage(id: 1, result)) else { return }
        news?(.answer(ticket: asked.ticket, .success([UInt8](data))))
    }

    /// Answers the login and the first request for changes.
    /// - Returns: the cursor after which the client requested changes.
    @discardableResult
    func letIn(_ conversations: [Conversation] = [], cursor: Int64 = 1) async -> Int64? {
        answer(await next(), .success(LoginRequest.Answer(user: "ada", store: "s", cursor: cursor)))
        let changes = await next()
        answer(
            changes,
            .success(
                ConversationChangesRequest.Answer(
                    conversations: conversations, deleted: [], totalUnread: 0, store: "s", cursor: cursor,
                    hasMore: false)))
        return (changes.request as? ConversationChangesRequest)?.since
    }
}
