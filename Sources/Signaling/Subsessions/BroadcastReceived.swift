/// A manager's message to all subsessions.
public struct BroadcastReceived: Hashable, Sendable, Codable {
    public var from: ConnectionID
    public var text: String
    public init(from: ConnectionID, text: String) {
        self.from = from
        self.text = text
    }
}
