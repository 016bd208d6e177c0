/// Reason for which the frames of an encrypted stream cannot be decrypted (E2E-1).
public enum EncryptionFailure: Hashable, Sendable {
    /// The frames do not authenticate: the publisher uses another secret, or the frames were changed on the way.
    case wrongSecret
    /// The stream is announced as encrypted, but its frames are not.
    case notEncrypted
    /// No secret was set with `Session.setEncryptionSecret(_:)`, or with `JoinOptions.agreesOnKeys` none has come from the other
    /// participants.
    case noSecret
    /// The video has another codec than VP8, the only one whose encrypted frames are defined.
    case unsupportedCodec
}
