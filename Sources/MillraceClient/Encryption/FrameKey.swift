/// Key material of one publisher's frames, as the media thread gets it.
struct FrameKey: Sendable, Hashable {
    /// Epoch of a secret that the application sets.
    static let epoch: UInt8 = 1

    /// Base key derived from the secret, the session and the publisher's connection.
    let bytes: [UInt8]
}
