package import MediaBase
package import Signaling

/// State of one client of a session that survives the loss of its home relay. The client resumes its connection at another one.
package struct Seat: Hashable, Sendable, Codable {
    /// Muted tracks of a client's stream: a client publishes one camera and one screen, with new ids after the loss.
    package struct Mute: Hashable, Comparable, Sendable, Codable {
        package var videoType: VideoType
        package var kind: TrackKind

        package init(videoType: VideoType, kind: TrackKind) {
            self.videoType = videoType
            self.kind = kind
        }

        package static func < (left: Mute, right: Mute) -> Bool {
            (left.videoType.rawValue, left.kind.rawValue) < (right.videoType.rawValue, right.kind.rawValue)
        }
    }

    /// Stream of a client. It continues at another home relay if the client's publish peer connection does.
    package struct Stream: Hashable, Sendable, Codable {
        package var id: StreamID
        package var name: String
        package var videoType: VideoType
        package var isEncrypted: Bool
        package var hasAudio: Bool
        package var hasVideo: Bool
        package var codec: VideoCodec?
        /// Whether clients know it.
        package var isAnnounced: Bool
        /// Milliseconds since 1970.
        package var createdAt: Int64
    }

    package var connection: ConnectionID
    package var name: String
    package var identity: String?
    package var data: String?
    package var role: Role
    package var capabilities: Capabilities
    package var token: TokenFingerprint?
    package var isTrusted: Bool
    package var media: JoinMedia
    package var e2eeKey: String?
    /// Position in the order of joining.
    package var ordinal: UInt64
    /// Milliseconds since 1970.
    package var joinedAt: Int64
    /// Subsession of the client; nil in the main session.
    package var subsession: SubsessionID?
    /// Without repetitions, in order.
    package var mutes: [Mute]
    /// Streams that the media plane has, in order of creation; nil: none.
    package var streams: [Stream]?
}
