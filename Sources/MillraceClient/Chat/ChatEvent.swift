public import Signaling

/// Event of a session's chat.
public enum ChatEvent: Hashable, Sendable {
    /// A message, including the local user's own messages once the relay has accepted them.
    case message(ChatReceived)
    case allowedChanged(Bool)
}
