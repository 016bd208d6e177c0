import Foundation
import Signaling

/// JSON messages, read as a client's request and as an event and a response of the relay.
enum MessagesFuzz {
    static func run(_ bytes: UnsafeRawBufferPointer) throws(FuzzViolation) {
        let data = Data(bytes)
        let decoder = JSONDecoder()
        if let message = try? decoder.decode(RequestMessage.self, from: data) {
            try same(message)
            try check(message.request)
        }
        if let message = try? decoder.decode(EventMessage.self, from: data) { try same(message) }
        guard let head = try? decoder.decode(MessageHead.self, from: data), head.id != nil else { return }
        try answer(JoinAnswer.self, data)
        try answer(StatisticsAnswer.self, data)
        try answer(SubsessionsState.self, data)
        try answer(ResumeRequest.Answer.self, data)
        try answer(PublishRequest.Answer.self, data)
        try answer(LoginRequest.Answer.self, data)
        try answer(ConversationsRequest.Answer.self, data)
        try answer(ConversationChangesRequest.Answer.self, data)
        try answer(HistoryRequest.Answer.self, data)
        try answer(CommitSubsessionsRequest.Answer.self, data)
        try answer(ChatRequest.Answer.self, data)
    }

    private static func answer<Answer: Hashable & Sendable & Codable>(
        _ type: Answer.Type, _ data: Data
    ) throws(FuzzViolation) {
        guard let message = try? JSONDecoder().decode(ResultMessage<Answer>.self, from: data) else { return }
        try same(message)
    }

    /// Writes the message and reads it again; the result must be equal.
    private static func same<Message: Codable & Equatable>(_ message: Message) throws(FuzzViolation) {
        guard let written = try? JSONEncoder().encode(message) else { throw FuzzViolation("\(message) is not written") }
        let again = try? JSONDecoder().decode(Message.self, from: written)
        try require(again == message, "\(message) is read as \(String(describing: again))")
    }

    /// Checks that allowed names and texts are within their limits.
    private static func check(_ request: any RequestBody) throws(FuzzViolation) {
        switch request {
        case let join as JoinRequest: try check(name: join.name)
        case let rename as RenameRequest: try check(name: rename.name)
        case let publish as PublishRequest: for stream in publish.streams { try check(name: stream.name) }
        case let signal as SignalRequest:
            guard signal.objection == nil else { return }
            try require(
                signal.type.utf8.count <= 128 && signal.data.utf8.count <= 8_192, "a signal too long is allowed")
        case let chat as ChatRequest: if chat.objection == nil { try check(text: chat.text) }
        case let broadcast as BroadcastRequest: if broadcast.objection == nil { try check(text: broadcast.text) }
        case let send as SendMessageRequest: if send.objection == nil { try check(text: send.text) }
        default: break
        }
    }

    private static func check(name: String) throws(FuzzViolation) {
        guard NameRule.objection(to: name) == nil else { return }
        try require(
            (1...NameRule.maximumCharacters).contains(name.count) && name.utf8.count <= NameRule.maximumBytes,
            "a name of \(name.utf8.count) bytes is allowed")
        try require(
            !name.unicodeScalars.contains { $0.value < 0x20 || (0x202a...0x202e).contains($0.value) },
            "a name with hidden characters is allowed")
    }

    private static func check(text: String) throws(FuzzViolation) {
        try require(
            (1...TextRule.maximumBytes).contains(text.utf8.count), "a text of \(text.utf8.count) bytes is allowed")
    }
}
