/// Key material of one publisher's frames, as the media thread gets it.
struct FrameKey: Sendable, Hashable {
    /// Base key derived from the secret, the session and the publisher's connection.
    let bytes: [UInt8]
}
