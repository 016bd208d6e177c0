import GRDB
import Signaling

/// Messages that have not been confirmed by the relay.
extension ConversationStore {
    func add(_ message: OutgoingMessage, limit: Int) async throws(SessionError) {
        let isTaken = try await write { db in
            guard try OutgoingTable.count(db) < limit else { return false }
            try OutgoingTable.add(db, message)
            return true
        }
        guard isTaken else { throw SessionError(SignalingError(.limitReached, limit: "outgoingLimit")) }
    }

    func nextOutgoing() async throws(SessionError) -> OutgoingMessage? {
        try await read { db in try OutgoingTable.first(db) }
    }

    func drop(_ message: OutgoingMessage) async throws(SessionError) {
        try await write { db in try OutgoingTable.remove(db, message.id) }
    }

    /// Moves a message that the relay has stored from the outgoing messages to the history.
    /// - Parameter isLive: whether the client is synchronized.
    func confirm(
        _ message: OutgoingMessage, _ answer: SendMessageRequest.Answer, isLive: Bool
    ) async throws(SessionError) -> Message? {
        try await write { [self] db in
            try OutgoingTable.remove(db, message.id)
            guard let user = try MetaTable.text(db, .user) else { return nil }
            let sent = Message(
                id: message.id, number: answer.number, conversation: message.conversation, from: user,
                text: message.text, time: answer.time)
            let isCurrent = try ConversationTable.find(db, message.conversation)?.isCurrent ?? false
            try insert(db, sent, joined: isLive && isCurrent)
            return sent
        }
    }

    // MARK: pages of messages

    func has(_ number: Int64, in ref: ConversationRef) async throws(SessionError) -> Bool {
        try await read { db in try HistoryTable.exists(db, ref, number) }
    }

    func stretch(
        of ref: ConversationRef, _ wanted: HistoryTable.Missing, count: Int
    ) async throws(SessionError) -> HistoryTable.Stretch {
        switch wanted {
        case .newest: try await stretch(of: ref, before: nil, count: count)
        case .before(let number): try await stretch(of: ref, before: number, count: count)
        case .after(let number): try await stretch(of: ref, after: number, count: count)
        }
    }

    func nearest(
        of ref: ConversationRef, _ wanted: HistoryTable.Missing, count: Int
    ) async throws(SessionError) -> [Message] {
        try await read { db in try HistoryTable.nearest(db, ref, wanted, count: count) }
    }

    func stretch(
        of ref: ConversationRef, before number: Int64?, count: Int
    ) async throws(SessionError) -> HistoryTable.Stretch {
        try await read { db in try HistoryTable.before(db, ref, number, count: count) }
    }

    func stretch(
        of ref: ConversationRef, after number: Int64, count: Int
    ) async throws(SessionError) -> HistoryTable.Stretch {
        try await read { db in try HistoryTable.after(db, ref, number, count: count) }
    }
}
