package import MediaBase

/// Measurements of one peer connection.
package struct PeerStatistics: Sendable, Equatable, Codable {
    /// Statistics of one direction of a track.
    package struct Track: Sendable, Equatable, Codable {
        package var stream: String
        package var kind: MediaKind
        /// Packets of all encodings since the track began.
        package var packets: UInt64 = 0
        package var bytes: UInt64 = 0
        package var lost: Int64 = 0
        /// Bit rate over the last report interval.
        package var bitrate = Bitrate(rawValue: 0)
        /// Interarrival jitter (RFC 3550 section 6.4.1): measured for published tracks, reported by the peer for subscribed ones.
        package var jitter: MediaTime?
        /// Subscribed video: RID of the encoding, if it has one.
        package var encoding: RID?
        /// Subscribed video: highest temporal layer that is sent; 3: all.
        package var temporalLayer: Int?
        /// Subscribed tracks: whether the track is paused by the subscriber's preferences or by lack of bandwidth.
        package var isPaused: Bool?
        /// Frame size of the largest active encoding or, for a subscribed track, of the one that is sent.
        package var width: Int?
        package var height: Int?
    }

    /// Tracks that the peer sends.
    package var published: [Track] = []
    /// Tracks that are sent to the peer.
    package var subscribed: [Track] = []
    /// Estimated capacity of the path to the peer; nil if it is not measured.
    package var availableBitrate: Bitrate?
    package var roundTrip: MediaTime?
    /// Packets for the peer that this host could not send, by the label of their cause.
    package var unsent: [String: UInt64] = [:]
}
