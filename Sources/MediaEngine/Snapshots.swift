package import MediaBase

package struct SessionSnapshot: Sendable {
    package var name: String
    package var streams: Int
    package var publishers: Int
    package var subscribers: Int

    /// Adds the numbers of another part of the session.
    mutating func add(_ part: SessionSnapshot) {
        streams += part.streams
        publishers += part.publishers
        subscribers += part.subscribers
    }
}

package struct StreamSnapshot: Sendable {
    package var name: String
    package var audio: TrackSnapshot?
    package var video: TrackSnapshot?
    /// Encodings of the video track, from the smallest to the largest.
    package var encodings: [EncodingSnapshot] = []
    /// Codec of the video; nil for a stream without video.
    package var codec: VideoCodec?
    package var subscribers: Int
    package var taps: Int
    /// Whether the stream is the active speaker of its subsession.
    package var isSpeaking: Bool
    /// Wall-clock time of publication, nanoseconds since 1970.
    package var createdAt: Int64
}

package struct TrackSnapshot: Sendable {
    package var ssrc: UInt32
    package var packets: UInt64
    package var bytes: UInt64
    package var lost: Int64
    /// Interarrival jitter (RFC 3550 section 6.4.1).
    package var jitter: MediaTime
    /// Average over the last report interval.
    package var bitrate: Bitrate
    package var muted: Bool
    /// Whether H.264 has frames that are not sent in the order in which they are shown.
    package var reordersFrames = false
    /// Frame size of the last key frame, in pixels.
    package var width: Int?
    package var height: Int?
}

/// Rendition of a video track.
package struct EncodingSnapshot: Sendable, Equatable {
    /// RID; empty for the only rendition of a track without RIDs.
    package var id: String
    /// Whether packets of the encoding arrive.
    package var isActive: Bool
    /// Average over the last report interval.
    package var bitrate: Bitrate
    /// Size of the last key frame, in pixels.
    package var width: Int?
    package var height: Int?

    package init(id: String, isActive: Bool, bitrate: Bitrate, width: Int? = nil, height: Int? = nil) {
        self.id = id
        self.isActive = isActive
        self.bitrate = bitrate
        self.width = width
        self.height = height
    }
}
