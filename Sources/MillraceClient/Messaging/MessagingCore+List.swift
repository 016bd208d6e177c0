import Signaling

/// Pages of messages, and changes to the conversation list.
extension MessagingCore {
    /// Maximum number of requests for one page. Several are needed if the stored messages have gaps.
    private static let rounds = 8

    func history(
        of ref: ConversationRef, before number: Int64?, count: Int
    ) async throws(SessionError) -> HistoryPage {
        guard let number else { return try await page(of: ref, .newest, count: count) }
        return try await page(of: ref, .before(number), count: count)
    }

    func history(of ref: ConversationRef, after number: Int64, count: Int) async throws(SessionError) -> HistoryPage {
        try await page(of: ref, .after(number), count: count)
    }

    private func page(
        of ref: ConversationRef, _ wanted: HistoryTable.Missing, count: Int
    ) async throws(SessionError) -> HistoryPage {
        do throws(SessionError) {
            if let number = wanted.number, try await !store.has(number, in: ref) {
                return try await strangersPage(of: ref, wanted, count: count)
            }
            return try await joinedPage(of: ref, wanted, count: count)
        } catch {
            // A conversation without any message.
            guard error.code == .unknownConversation else { throw error }
            return HistoryPage(messages: [], hasMore: false, isOffline: false)
        }
    }

    private func joinedPage(
        of ref: ConversationRef, _ wanted: HistoryTable.Missing, count: Int
    ) async throws(SessionError) -> HistoryPage {
        var stretch = try await store.stretch(of: ref, wanted, count: count)
        var isOffline = false
        for _ in 0..<Self.rounds {
            guard let missing = stretch.missing else { break }
            do throws(SessionError) {
                try await fetch(missing, of: ref)
            } catch {
                guard error.code == .notConnected else { throw error }
                isOffline = true
            }
            if isOffline { break }
            stretch = try await store.stretch(of: ref, wanted, count: count)
        }
        return HistoryPage(messages: stretch.messages, hasMore: stretch.hasMore, isOffline: isOffline)
    }

    /// Returns the messages next to one that the store lacks. They are read from the relay, and stored for later.
    private func strangersPage(
        of ref: ConversationRef, _ wanted: HistoryTable.Missing, count: Int
    ) async throws(SessionError) -> HistoryPage {
        do throws(SessionError) {
            let answer = try await fetch(wanted, of: ref, count: min(count, ConversationLimits.pageSize.upperBound))
            return HistoryPage(messages: answer.messages, hasMore: answer.hasMore, isOffline: false)
        } catch {
            guard error.code == .notConnected else { throw error }
            let messages = try await store.nearest(of: ref, wanted, count: count)
            return HistoryPage(messages: messages, hasMore: true, isOffline: true)
        }
    }

    @discardableResult
    private func fetch(
        _ missing: HistoryTable.Missing, of ref: ConversationRef, count: Int = ConversationLimits.pageSize.upperBound
    ) async throws(SessionError) -> HistoryRequest.Answer {
        let wanted =
            switch missing {
            case .newest: HistoryRequest(conversation: ref, count: count)
            case .before(let number): HistoryRequest(conversation: ref, before: number, count: count)
            case .after(let number): HistoryRequest(conversation: ref, after: number, count: count)
            }
        let answer = try await request(wanted)
        try await store.take(ref, missing, answer)
        return answer
    }

    // MARK: changes on all devices of a user

    // The relay also sends each change as an event after the answer. The store applies only the event, in the order of the
    // changes.

    func clearUnread(_ ref: ConversationRef) async throws(SessionError) {
        try await request(ClearUnreadRequest(conversation: ref))
    }

    func setNotification(_ ref: ConversationRef, _ status: NotificationStatus) async throws(SessionError) {
        try await request(SetNotificationRequest(conversation: ref, status: status))
    }

    func delete(_ ref: ConversationRef, onThisDeviceOnly: Bool) async throws(SessionError) {
        guard onThisDeviceOnly else {
            try await request(DeleteConversationRequest(conversation: ref))
            return
        }
        let change = try await store.hide(ref)
        for event in change.events { board.send(event) }
    }

    func deleteMessages(_ ref: ConversationRef) async throws(SessionError) {
        try await request(DeleteMessagesRequest(conversation: ref))
    }
}
