public import Signaling

/// What happens in a session's chat.
public enum ChatEvent: Hashable, Sendable {
    /// One's own messages come as well, after the relay took them.
    case message(ChatReceived)
    case allowedChanged(Bool)
}
