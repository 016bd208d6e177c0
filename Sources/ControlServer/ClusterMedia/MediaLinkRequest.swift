import MediaEngine

/// Message of a home relay to the relay of a session's clients, as JSON.
struct MediaLinkRequest: Codable, Sendable {
    let id: MediaCallID
    let call: MediaCall

    init(_ id: MediaCallID, _ call: MediaCall) {
        self.id = id
        self.call = call
    }

    /// Number of a request whose call cannot be read, as those of a later version.
    struct Unread: Decodable {
        let id: MediaCallID
    }
}
