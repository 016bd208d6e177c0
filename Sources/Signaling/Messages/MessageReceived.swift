/// A new message; those of oneself come to one's other connections.
public struct MessageReceived: Hashable, Sendable, Codable {
    public var message: Message

    public init(message: Message) {
        self.message = message
    }
}
