public import Signaling

/// A message of one's own that the relay has not confirmed yet.
public struct OutgoingMessage: Hashable, Sendable, Identifiable {
    /// It keeps it for good: sent again after a loss, it is stored once.
    public let id: String
    public let conversation: ConversationRef
    public let text: String
    /// Milliseconds since 1970, by this machine's clock.
    public let time: Int64
}
