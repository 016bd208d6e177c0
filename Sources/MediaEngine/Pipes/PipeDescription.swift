package import MediaBase

/// Streams that are published at one relay, as it describes them to a relay that mirrors them. Always complete, so that a description that was
/// not delivered needs no repetition: the next one replaces it.
package struct PipeDescription: Sendable, Equatable, Codable {
    package struct Stream: Sendable, Equatable, Codable {
        package let name: String
        /// Subsession of the stream; empty for the main part.
        package let subsession: String
        /// Nanoseconds since 1970.
        package let createdAt: Int64
        /// Whether its frames are encrypted end to end.
        package let isEncrypted: Bool
        /// Codec of the video; nil for a stream without video.
        package let codec: VideoCodec?
        package let muted: Set<MediaKind>
        /// The audio track, and the encodings of the video track in the publisher's order.
        package let tracks: [Track]

        package init(
            name: String, subsession: String, createdAt: Int64, isEncrypted: Bool, codec: VideoCodec?,
            muted: Set<MediaKind>, tracks: [Track]
        ) {
            self.name = name
            self.subsession = subsession
            self.createdAt = createdAt
            self.isEncrypted = isEncrypted
            self.codec = codec
            self.muted = muted
            self.tracks = tracks
        }
    }

    /// Audio track, or encoding of a video track.
    package struct Track: Sendable, Equatable, Codable {
        /// Number of the track at its relay, which never uses it again for another track of the session.
        package let number: UInt64
        package let kind: MediaKind
        /// Encoding of video; nil for audio, and for the only encoding of a track without RIDs.
        package let rid: String?
        package let payloadType: UInt8
        /// Maximum age of the cached key frame that a subscriber starts with.
        package let replayLimit: MediaTime

        package init(number: UInt64, kind: MediaKind, rid: String?, payloadType: UInt8, replayLimit: MediaTime) {
            self.number = number
            self.kind = kind
            self.rid = rid
            self.payloadType = payloadType
            self.replayLimit = replayLimit
        }
    }

    package let streams: [Stream]

    package init(streams: [Stream]) { self.streams = streams }
}
