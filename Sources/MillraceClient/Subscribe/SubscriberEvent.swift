public import Signaling

/// Event of a subscription.
public enum SubscriberEvent: Hashable, Sendable {
    /// Media can flow.
    case connected
    /// The relay has stopped sending video.
    case videoDisabled(VideoChangeReason)
    /// The video cannot be decoded (`codecNotDecodable`): its size or its format, such as 10 bits a sample, is valid and not supported. Its
    /// audio continues. Sent once; frames follow if the publisher changes to a format that can be decoded. A codec that this client does
    /// not take at all is `videoDisabled` with the reason `unsupportedCodec`.
    case videoFailed(SessionError)
    /// The relay sends video again.
    case videoEnabled(VideoChangeReason)
    /// The connection of the publisher or of the local user was lost and may come back.
    case dropped
    /// The connection is back after `dropped`.
    case reconnected
    /// The publisher and the local user are in different subsessions, so that no media flows.
    case suspended
    /// The publisher and the local user are in the same subsession, or both in the main session, again.
    case resumed
    /// The subscription has ended: the stream ended, or the relay could not continue the subscription.
    case ended(StreamEndReason?)
    /// Frames cannot be decrypted; see `SessionEvent.encryptionFailed`.
    case encryptionFailed(EncryptionFailure)
}
