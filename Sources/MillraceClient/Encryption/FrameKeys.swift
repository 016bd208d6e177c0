/// Keys with which one publisher's frames are decrypted.
package struct FrameKeys: Sendable, Hashable {
    /// One key for each epoch whose frames are accepted, the newest last.
    var epochs: [FrameKey] = []
    /// Whether participants agree on keys, so that missing ones are expected to come.
    var isAgreed = false

    package init(epochs: [FrameKey] = [], isAgreed: Bool = false) {
        self.epochs = epochs
        self.isAgreed = isAgreed
    }
}
