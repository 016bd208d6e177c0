package import MediaBase

package struct SessionSnapshot: Sendable {
    package var name: String
    package var streams: Int
    package var publishers: Int
    package var subscribers: Int
}

package struct StreamSnapshot: Sendable {
    package var name: String
    package var audio: TrackSnapshot?
    package var video: TrackSnapshot?
    package var subscribers: Int
    package var taps: Int
    /// It has the floor.
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
    /// Picture size of the last key frame.
    package var width: Int?
    package var height: Int?
}
