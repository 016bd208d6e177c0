package import MediaBase

/// Layers of a video track that a subscriber gets.
package enum LayerChoice: Sendable, Equatable, Codable {
    /// The layers that fit the subscriber's bandwidth.
    case automatic
    /// At most this encoding, counted from the smallest (0), and at most this temporal layer; nil: any.
    case upTo(spatial: Int?, temporal: Int?)
    /// This encoding and no other.
    case encoding(RID, temporal: Int?)
}
