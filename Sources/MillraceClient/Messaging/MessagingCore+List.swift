internal import Signaling

/// Pages of messages, and what a user does with its conversations.
extension MessagingCore {
    /// A page that the store cannot fill is asked for in these rounds at most: what lies here in pieces may take some.
    private static let rounds = 8

    func history(
        of ref: ConversationRef, before number: Int64?, count: Int
    ) async throws(SessionError) -> HistoryPage {
        if let number, try await !store.has(number, in: ref) {
            return try await strangersPage(of: ref, .before(number), count: count)
        }
        return try await page(of: ref) {
            (store: ConversationStore) async throws(SessionError) -> HistoryTable.Stretch in
            try await store.stretch(of: ref, before: number, count: count)
        }
    }

    func history(of ref: ConversationRef, after number: Int64, count: Int) async throws(SessionError) -> HistoryPage {
        guard try await store.has(number, in: ref) else {
            return try await strangersPage(of: ref, .after(number), count: count)
        }
        return try await page(of: ref) {
            (store: ConversationStore) async throws(SessionError) -> HistoryTable.Stretch in
            try await store.stretch(of: ref, after: number, count: count)
        }
    }

    private func page(
        of ref: ConversationRef,
        _ read: (ConversationStore) async throws(SessionError) -> HistoryTable.Stretch
    ) async throws(SessionError) -> HistoryPage {
        var stretch = try await read(store)
        var isOffline = false
        for _ in 0..<Self.rounds {
            guard let missing = stretch.missing else { break }
            do throws(SessionError) {
                try await fetch(missing, of: ref)
            } catch {
                switch error.code {
                case .notConnected:
                    isOffline = true
                // Nothing was ever said there.
                case .unknownConversation: return HistoryPage(messages: [], hasMore: false, isOffline: false)
                default: throw error
                }
            }
            if isOffline { break }
            stretch = try await read(store)
        }
        return HistoryPage(messages: stretch.messages, hasMore: stretch.hasMore, isOffline: isOffline)
    }

    /// What is next to a message that the store does not have: as the relay says, stored for another time.
    private func strangersPage(
        of ref: ConversationRef, _ missing: HistoryTable.Missing, count: Int
    ) async throws(SessionError) -> HistoryPage {
        do throws(SessionError) {
            let answer = try await fetch(missing, of: ref, count: min(count, ConversationLimits.pageSize.upperBound))
            return HistoryPage(messages: answer.messages, hasMore: answer.hasMore, isOffline: false)
        } catch {
            guard error.code == .notConnected else { throw error }
            return HistoryPage(messages: [], hasMore: true, isOffline: true)
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

    // MARK: what is the same on all devices of a user

    func clearUnread(_ ref: ConversationRef) async throws(SessionError) {
        try await request(ClearUnreadRequest(conversation: ref))
        try await tell(store.edit(ref) { $0.conversation.unread = 0 })
    }

    func setNotification(_ ref: ConversationRef, _ status: NotificationStatus) async throws(SessionError) {
        try await request(SetNotificationRequest(conversation: ref, status: status))
        try await tell(store.edit(ref) { $0.conversation.notification = status })
    }

    func delete(_ ref: ConversationRef, onThisDeviceOnly: Bool) async throws(SessionError) {
        if onThisDeviceOnly {
            return try await tell(store.edit(ref) { $0.hidden = $0.conversation.order })
        }
        try await request(DeleteConversationRequest(conversation: ref))
        try await tell(
            store.edit(ref) { entry in
                entry.isListed = false
                entry.conversation.unread = 0
            })
    }

    func deleteMessages(_ ref: ConversationRef) async throws(SessionError) {
        try await request(DeleteMessagesRequest(conversation: ref))
        try await tell(store.removeMessages(of: ref))
    }

    private func tell(_ change: StoreChange) {
        for event in change.events { board.send(event) }
    }
}
