import SFrame
import Signaling

extension Session {
    /// Whether every stream of the session must be encrypted end to end; the relay refuses others with `encryptionRequired`.
    public var requiresEncryption: Bool { board.snapshot.model.requiresEncryption }

    /// Number for the participants to compare, for example by reading it aloud: 12 groups of 5 digits. It changes at every join and leave,
    /// and is equal for all unless the relay shows them wrong keys. Nil unless the session was joined with `JoinOptions.agreesOnKeys`, and
    /// before the first keys.
    public var safetyNumber: String? { board.snapshot.model.safetyNumber }

    /// Sets the passphrase for end-to-end encryption. All participants of the session have to use the same one; the relay never receives
    /// it.
    ///
    /// From now on each frame of a stream that is published is encrypted (SFrame, RFC 9605), and frames of encrypted streams are decrypted.
    /// A stream that was published before without encryption stays unencrypted: unpublish it first. A second call replaces the secret for
    /// all streams. The call takes about 0.3 s, because the passphrase is stretched with PBKDF2.
    ///
    /// If frames of a stream cannot be decrypted, the session sends `SessionEvent.encryptionFailed` within 1 s. No video and no audio of
    /// them is played.
    /// - Throws: `invalidField` for an empty passphrase, or if the session was joined with `JoinOptions.agreesOnKeys`; `invalidSessionName` if neither the token nor the configuration names a session.
    public func setEncryptionSecret(_ passphrase: String) async throws(SessionError) {
        try await core.setEncryption(passphrase: passphrase)
    }

    /// Sets 32 random bytes as the secret for end-to-end encryption, in place of a passphrase.
    /// - Throws: `invalidField` if there are not 32 bytes, or if the session was joined with `JoinOptions.agreesOnKeys`.
    public func setEncryptionKey(_ key: [UInt8]) async throws(SessionError) {
        let secret: EncryptionSecret
        do throws(SFrameFailure) { secret = try EncryptionSecret(bytes: key) } catch {
            throw SessionError(.invalidField, "a key has \(EncryptionSecret.length) bytes", field: "key")
        }
        try await core.setEncryption(secret)
    }
}
