package import MediaBase

/// Which of a video track's layers a subscriber gets.
package enum LayerChoice: Sendable, Equatable {
    /// What its bandwidth allows.
    case automatic
    /// At most this encoding, counted from the smallest (0), and at most this temporal layer; nil: any.
    case upTo(spatial: Int?, temporal: Int?)
    /// This encoding and no other.
    case encoding(RID, temporal: Int?)
}
