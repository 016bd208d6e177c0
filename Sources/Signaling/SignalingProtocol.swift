/// The control protocol between a client and the relay: JSON texts over one WebSocket (docs/protocol.md).
public enum SignalingProtocol {
    /// Of the messages in this target. A client that asks for another one is told `unsupportedVersion`.
    public static let version = 1
    /// What both sides name in `Sec-WebSocket-Protocol` (RFC 6455 section 1.9).
    public static let subprotocol = "millrace.v1"
    /// Largest message that the relay takes, in bytes.
    public static let maximumMessageBytes = 64 * 1_024
    /// Largest message that the relay sends and a client has to take, in bytes: the answer to a join lists all users and streams. The relay
    /// answers `messageTooLarge` instead of a larger one.
    public static let maximumRelayMessageBytes = 16 * 1_024 * 1_024
    /// Largest session description, in bytes.
    public static let maximumSDPBytes = 48 * 1_024
}
