package import MediaBase

/// Decision of the relay, or request to it, that concerns one peer.
package struct PeerDecision: Sendable, Equatable, Codable {
    package enum Kind: String, Sendable, Codable, CaseIterable {
        /// The peer changed its address.
        case moved
        /// An encoding was chosen; the value is its index, 0 for the smallest.
        case encoding
        /// The highest temporal layer that is sent was chosen.
        case temporalLayer
        /// Video was paused or resumed because of the path's bandwidth.
        case paused, resumed
        /// Pending packets of an encoding were dropped because the path was congested by it.
        case abandoned
        /// Packets that the subscriber requested with NACK, and how many of them were retransmitted.
        case packetsWanted, packetsSentAgain
        case keyFrameWanted
        /// Packets that this host could not send.
        case packetsUnsent
        /// The estimate of the path's capacity changed by more than a fifth; the value is in bits per second.
        case estimate
    }

    package var at: MediaTime
    package var kind: Kind
    /// Stream of the track; nil: the decision concerns the peer.
    package var stream: String?
    package var value: Int64
}
