import Messaging
import Persistence
import Signaling

/// All data that a user can read, as lines of JSON: the user, its groups, its conversations and their messages, one page at a time.
struct UserExport {
    enum Line: Encodable {
        case user(app: String, id: String, totalUnread: Int, exportedAt: Int64)
        case conversation(Conversation)
        /// Conversation that the user deleted from the list; its messages are exported too.
        case deletedConversation(ConversationRef)
        case group(Group)
        case message(Message)

        private enum CodingKeys: String, CodingKey {
            case kind
            case app
            case user
            case totalUnread
            case exportedAt
            case conversation
            case group
            case message
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            switch self {
            case .user(let app, let id, let totalUnread, let exportedAt):
                try container.encode("user", forKey: .kind)
                try container.encode(app, forKey: .app)
                try container.encode(id, forKey: .user)
                try container.encode(totalUnread, forKey: .totalUnread)
                try container.encode(exportedAt, forKey: .exportedAt)
            case .conversation(let conversation):
                try container.encode("conversation", forKey: .kind)
                try container.encode(conversation, forKey: .conversation)
            case .deletedConversation(let ref):
                try container.encode("deletedConversation", forKey: .kind)
                try container.encode(ref, forKey: .conversation)
            case .group(let group):
                try container.encode("group", forKey: .kind)
                try container.encode(group, forKey: .group)
            case .message(let message):
                try container.encode("message", forKey: .kind)
                try container.encode(message, forKey: .message)
            }
        }
    }

    private static let page = ConversationLimits.pageSize.upperBound

    let user: UserKey
    let database: MessageDatabase
    /// Conversations whose messages have not been exported yet.
    private var waiting: [ConversationRef] = []
    private var since: Int64 = 0
    private var isListRead = false
    private var position: (ref: ConversationRef, after: Int64)?

    init(_ user: UserKey, _ database: MessageDatabase) {
        self.user = user
        self.database = database
    }

    private func ask(_ request: MessagingRequest) async throws -> MessagingAnswer {
        try await database.read(MessagingCommand(user: user, action: .request(request))).get().answer
    }

    /// Returns whether the user has left the conversation, or it no longer exists.
    private static func isGone(_ error: SignalingError) -> Bool {
        error.code == .unknownGroup || error.code == .unknownConversation
    }

    /// Returns the next lines; nil after the last.
    mutating func next() async throws -> [Line]? {
        if let position { return try await messages(position.ref, after: position.after) }
        if !isListRead { return try await conversations() }
        guard let ref = waiting.popLast() else { return nil }
        var lines: [Line] = []
        if ref.type == .group {
            do {
                if case .group(let group) = try await ask(.group(GroupRequest(group: ref.id))) {
                    lines.append(.group(group))
                }
            } catch StorageFailure.refused(let error) where Self.isGone(error) {
                // The user has left the group.
                return []
            }
        }
        position = (ref, 0)
        return lines
    }

    private mutating func conversations() async throws -> [Line] {
        let request = ConversationChangesRequest(since: since, count: Self.page)
        guard case .changes(let page) = try await ask(.conversationChanges(request)) else { return [] }
        guard page.cursor > 0 else {
            isListRead = true
            // A user who was removed during the export has no more data.
            if since > 0 { return [] }
            throw StorageFailure.refused(SignalingError(.unknownUser, "no data is stored about this user"))
        }
        var lines: [Line] = []
        if since == 0 {
            lines.append(
                .user(
                    app: user.app, id: user.id, totalUnread: page.totalUnread, exportedAt: ControlClock.wall))
        }
        lines += page.conversations.map { .conversation($0) } + page.deleted.map { .deletedConversation($0.ref) }
        waiting += page.conversations.map(\.ref) + page.deleted.map(\.ref)
        since = page.cursor
        isListRead = !page.hasMore
        return lines
    }

    private mutating func messages(_ ref: ConversationRef, after number: Int64) async throws -> [Line] {
        let request = HistoryRequest(conversation: ref, after: number, count: Self.page)
        let answer: MessagingAnswer
        do {
            answer = try await ask(.history(request))
        } catch StorageFailure.refused(let error) where Self.isGone(error) {
            // The user lost access during the export; the remaining messages are left out.
            position = nil
            return []
        }
        guard case .history(let page) = answer else { return [] }
        position = page.hasMore ? page.messages.last.map { (ref, $0.number) } : nil
        return page.messages.map { .message($0) }
    }
}
