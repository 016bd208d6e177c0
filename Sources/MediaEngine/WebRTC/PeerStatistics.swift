package import MediaBase

/// What the relay measures of one peer connection.
package struct PeerStatistics: Sendable {
    /// One direction of one track.
    package struct Track: Sendable {
        package var stream: String
        package var kind: MediaKind
        /// Of all encodings, since the track began.
        package var packets: UInt64 = 0
        package var bytes: UInt64 = 0
        package var lost: Int64 = 0
        /// Over the last report interval.
        package var bitrate = Bitrate(rawValue: 0)
        /// Interarrival jitter (RFC 3550 section 6.4.1): of what comes, or what the viewer reports.
        package var jitter: MediaTime?
        /// Of a video track that is sent: the encoding's name, where it has one.
        package var encoding: RID?
        /// Of a video track that is sent: the highest that goes out; 3: all.
        package var temporalLayer: Int?
        /// Of a track that is sent: by the viewer's own wish, or because its path does not carry it.
        package var isPaused: Bool?
        /// Of the largest encoding that comes, or the one that is sent.
        package var width: Int?
        package var height: Int?
    }

    /// What comes from the peer.
    package var published: [Track] = []
    /// What goes to it.
    package var subscribed: [Track] = []
    /// What the path to the peer is thought to carry; nil where that is not measured.
    package var availableBitrate: Bitrate?
    package var roundTrip: MediaTime?
    /// Packets for the peer that this host could not send, by the label of the cause.
    package var unsent: [String: UInt64] = [:]
}
