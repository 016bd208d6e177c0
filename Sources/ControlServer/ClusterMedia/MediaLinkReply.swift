import MediaEngine

/// Message of the relay of a session's clients to the home relay, as JSON.
enum MediaLinkReply: Codable, Sendable {
    case answered(MediaCallID, MediaCallAnswer)
    case failed(MediaCallID, EngineError)
    case event(StreamEvent)
}
