/// A new message. A user's own messages are sent to its other connections.
public struct MessageReceived: Hashable, Sendable, Codable {
    public var message: Message

    public init(message: Message) {
        self.message = message
    }
}
