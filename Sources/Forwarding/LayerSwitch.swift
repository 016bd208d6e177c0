package import MediaBase

/// A viewer's track that went over from one encoding to another.
package struct LayerSwitch: Sendable {
    package var path: Int
    /// The viewer's SSRC, which stays the same.
    package var ssrc: SSRC
    /// Publisher's SSRCs.
    package var from: SSRC
    package var to: SSRC
    package var requestedAt: MediaTime
    /// When the key frame that it happened at had come.
    package var at: MediaTime
}
