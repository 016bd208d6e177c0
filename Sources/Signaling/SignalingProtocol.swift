/// The control protocol between a client and the relay: JSON texts over one WebSocket (docs/protocol.md).
public enum SignalingProtocol {
    /// Version of the messages in this target. Requests of another version get `unsupportedVersion`.
    public static let version = 1
    /// Value of `Sec-WebSocket-Protocol` on both sides (RFC 6455 section 1.9).
    public static let subprotocol = "millrace.v1"
    /// Largest message that the relay takes, in bytes. It has room for a browser's answer to an offer of forty streams, 1.4 KiB for each
    /// section of video with its codecs.
    public static let maximumMessageBytes = 128 * 1_024
    /// Largest message of the relay that a client must accept, in bytes: a join answer lists many users and streams. If
    /// an answer would be larger, the relay sends `messageTooLarge`.
    public static let maximumRelayMessageBytes = 16 * 1_024 * 1_024
    /// Largest session description, in bytes.
    public static let maximumSDPBytes = 96 * 1_024
}
