package import MediaBase

/// Quality of one peer connection since the previous point, about a second.
package struct QualityPoint: Sendable, Equatable, Codable {
    /// Video that is sent to a subscriber or received from a publisher.
    package struct Video: Sendable, Equatable, Codable {
        /// Position of the encoding, or spatial layer of an SVC stream; 0 is the smallest.
        package var layer: Int
        /// Highest temporal layer that is sent to a subscriber; nil for publishers.
        package var temporalLayer: Int?
        /// Height of the frames in pixels; nil before the first key frame.
        package var height: Int?

        package init(layer: Int, temporalLayer: Int? = nil, height: Int? = nil) {
            self.layer = layer
            self.temporalLayer = temporalLayer
            self.height = height
        }
    }

    /// End of the time that the point covers.
    package var at: MediaTime
    /// RTP packets of all tracks.
    package var packets = 0
    /// Packets that are missing: at the relay for a publisher, by the receiver reports of a subscriber. Receiver reports of audio arrive
    /// every few seconds, so that a point can contain losses of the points before.
    package var lost = 0
    package var bitrate = Bitrate(rawValue: 0)
    /// Round-trip time by the subscriber's latest receiver report; nil if it is unknown.
    package var roundTrip: MediaTime?
    /// Estimated capacity of the path to a subscriber; nil if it is not measured.
    package var estimate: Bitrate?
    /// The video with the lowest frames; nil without video.
    package var video: Video?
    /// Number of videos that stand still. A subscriber's video stands still if its publisher has sent for half a second and nothing was
    /// forwarded; a publisher's video stands still if it is not muted and no packet arrives.
    package var frozen = 0

    package init(at: MediaTime) { self.at = at }

    /// Takes a video if its frames are lower than those of the others.
    mutating func take(_ other: Video) {
        guard let video, video.height ?? .max <= other.height ?? .max else {
            video = other
            return
        }
    }

    /// Adds the packets of a track.
    mutating func add(_ counts: TrackCounts) {
        packets += Int(clamping: counts.packets)
        lost += Int(clamping: counts.lost)
    }
}
