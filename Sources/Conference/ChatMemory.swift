import DequeModule
import Signaling

/// Chat messages that had a client id, with their answers. A message with a known id is a repetition. Holds at most
/// `limit` messages; drops the oldest.
struct ChatMemory: Sendable {
    /// Namespace of client ids: the user identity of the token, which survives a new join, or the connection if the
    /// token has no identity.
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
        /// Hash of the request, kept in place of the text to save memory.
        var hash: Int
        var answer: ChatRequest.Answer
    }

    private let limit: Int
    private var entries: [Key: Entry] = [:]
    private var order = Deque<Key>()

    init(limit: Int) { self.limit = max(limit, 1) }

    var count: Int { entries.count }

    /// Returns the answer to the first message with this id, or nil if the message is new.
    /// - Throws: `invalidField` if the id was used for another text or receiver.
    func answer(to request: ChatRequest, from sender: Sender) throws(SignalingError) -> ChatRequest.Answer? {
        guard let id = request.id, let entry = entries[Key(sender: sender, id: id)] else { return nil }
        guard entry.hash == request.hashValue else {
            throw SignalingError(.invalidField, "the id is that of another message", field: "id")
        }
        return entry.answer
    }

    /// Adds a new message. A message without an id is not kept, because a repetition could not be recognized.
    mutating func insert(_ request: ChatRequest, from sender: Sender, _ answer: ChatRequest.Answer) {
        guard let id = request.id else { return }
        let key = Key(sender: sender, id: id)
        entries[key] = Entry(hash: request.hashValue, answer: answer)
        order.append(key)
        if order.count > limit, let oldest = order.popFirst() { entries[oldest] = nil }
    }
}
