import MediaEngine

/// Message of the relay of a session's clients to the home relay, as JSON.
enum MediaLinkReply: Codable, Sendable {
    case answered(MediaCallID, MediaCallAnswer)
    case failed(MediaCallID, EngineError)
    case event(StreamEvent)

    private enum CodingKeys: CodingKey {
        case id
        case answer
        case error
        case event
    }

    /// Call that the message answers; nil for an event.
    var id: MediaCallID? {
        switch self {
        case .answered(let id, _), .failed(let id, _): id
        case .event: nil
        }
    }

    /// Reads a message. A relay of a later version may send answers and events that this one does not know: such an answer is a failure, and
    /// such an event a missed one.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard let id = try container.decodeIfPresent(MediaCallID.self, forKey: .id) else {
            self = .event((try? container.decode(StreamEvent.self, forKey: .event)) ?? .missed(session: nil))
            return
        }
        if let answer = try? container.decode(MediaCallAnswer.self, forKey: .answer) {
            self = .answered(id, answer)
        } else {
            let error = try? container.decode(EngineError.self, forKey: .error)
            self = .failed(id, error ?? .invalidRequest(field: "answer", reason: "cannot be read"))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(id, forKey: .id)
        switch self {
        case .answered(_, let answer): try container.encode(answer, forKey: .answer)
        case .failed(_, let error): try container.encode(error, forKey: .error)
        case .event(let event): try container.encode(event, forKey: .event)
        }
    }
}
