import DequeModule
import Signaling

/// Chat messages that came with an id, and what they were answered: the same id again is the same message. At most so many: the oldest is
/// forgotten for the next.
struct ChatMemory: Sendable {
    /// Whose ids they are. A user's hold for a client that joined anew; where the token names none they are of the connection alone.
    enum Sender: Hashable, Sendable {
        case user(String)
        case connection(ConnectionID)

        init(_ info: UserInfo) {
            if let identity = info.identity { self = .user(identity) } else { self = .connection(info.id) }
        }
    }

    private struct Key: Hashable, Sendable {
        var sender: Sender
        var id: String
    }

    private struct Entry: Sendable {
        /// Instead of the text, which may be long.
        var hash: Int
        var answer: ChatRequest.Answer
    }

    private let limit: Int
    private var entries: [Key: Entry] = [:]
    private var order = Deque<Key>()

    init(limit: Int) { self.limit = max(limit, 1) }

    var count: Int { entries.count }

    /// What the message was answered the first time; nil where it is new.
    /// - Throws: `invalidField` where its id is that of another text, or to somebody else.
    func answer(to request: ChatRequest, from sender: Sender) throws(SignalingError) -> ChatRequest.Answer? {
        guard let id = request.id, let entry = entries[Key(sender: sender, id: id)] else { return nil }
        guard entry.hash == request.hashValue else {
            throw SignalingError(.invalidField, "the id is that of another message", field: "id")
        }
        return entry.answer
    }

    /// A new message; without an id it cannot be told from others, and is not kept.
    mutating func insert(_ request: ChatRequest, from sender: Sender, _ answer: ChatRequest.Answer) {
        guard let id = request.id else { return }
        let key = Key(sender: sender, id: id)
        entries[key] = Entry(hash: request.hashValue, answer: answer)
        order.append(key)
        if order.count > limit, let oldest = order.popFirst() { entries[oldest] = nil }
    }
}
