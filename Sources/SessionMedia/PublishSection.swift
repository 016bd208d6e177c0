import MediaBase
package import SDP
package import Signaling

/// Media section of a publish peer connection, and the stream that it belongs to.
package struct PublishSection: Hashable, Sendable, Codable {
    package let stream: StreamID
    package let track: TrackDescription
    /// Whether packets are dropped from the first one on, until the track is unmuted. Applies only to new sections.
    package let startsMuted: Bool
    package let isEncrypted: Bool
}

extension PublishSection {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        stream = try container.decode(StreamID.self, forKey: .stream)
        track = try container.decode(TrackDescription.self, forKey: .track)
        startsMuted = try container.decode(Bool.self, forKey: .startsMuted)
        isEncrypted = try container.decode(Bool.self, forKey: .isEncrypted)
        try container.check(
            track.codecs.count == 1 && !track.encodings.isEmpty, .track,
            "a published track has one codec and at least one encoding")
    }
}
