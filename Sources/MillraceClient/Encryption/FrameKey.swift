/// Key material of one publisher's frames in one epoch, as the media thread gets it.
package struct FrameKey: Sendable, Hashable {
    /// Epoch in the key ids of the frames.
    let epoch: UInt8
    /// Base key derived from the secret, the session and the publisher's connection.
    let bytes: [UInt8]

    package init(epoch: UInt8, bytes: [UInt8]) {
        self.epoch = epoch
        self.bytes = bytes
    }
}
