package import MediaBase

/// Something that the relay decided, or was asked, for one peer.
package struct PeerDecision: Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        /// The peer is reached at another address.
        case moved
        /// An encoding was chosen; the value is its place, 0 the smallest.
        case encoding
        /// The highest temporal layer that goes out.
        case temporalLayer
        /// Video is paused or goes on, because of the path.
        case paused, resumed
        /// What waited of an encoding was thrown away, because the path was full of it.
        case abandoned
        /// Packets that the viewer asked for, and how many of them went out again.
        case packetsWanted, packetsSentAgain
        case keyFrameWanted
        /// Packets that this host could not send.
        case packetsUnsent
        /// What the path is thought to carry, in bits a second, where it has changed by a fifth.
        case estimate
    }

    package var at: MediaTime
    package var kind: Kind
    /// Stream of the track it is about; nil: about the peer.
    package var stream: String?
    package var value: Int64
}
