/// A secret of the session's frames from one change of the participants to the next.
package struct KeyEpoch: Sendable {
    /// Number that rises with each secret of a leader.
    let number: UInt32
    package let secret: EncryptionSecret
    /// Connection of the leader that made it.
    let maker: String
    /// Digest of the roster for which it was made.
    let roster: [UInt8]
    /// Sealed secrets of the receivers, if this client made it.
    var entries: [HPKEEntry] = []

    /// The epoch in the key ids of frames: 1 to 255.
    package var frameEpoch: UInt8 { UInt8((number - 1) % 255) + 1 }
}
