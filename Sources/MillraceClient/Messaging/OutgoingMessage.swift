public import Signaling

/// Message of the local user that the relay has not confirmed yet.
public struct OutgoingMessage: Hashable, Sendable, Identifiable {
    /// Permanent id. The relay recognizes it if the message is sent again after a connection loss, and stores
    /// the message once.
    public let id: String
    public let conversation: ConversationRef
    public let text: String
    /// Time of writing in milliseconds since 1970, by this machine's clock.
    public let time: Int64
}
