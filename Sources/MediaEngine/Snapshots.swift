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

/// What happens to streams by itself. Events of a stream name the transport that it came by: another may publish under its name by the time
/// that they are read. Those of tracks name the transport that gets them.
package enum StreamEvent: Sendable, Equatable {
    case published(session: String, transport: TransportID, stream: String)
    case closed(session: String, transport: TransportID, stream: String)
    /// A subscriber's path does not take a track, or takes it again.
    case trackPaused(session: String, transport: TransportID, stream: String, kind: MediaKind)
    case trackResumed(session: String, transport: TransportID, stream: String, kind: MediaKind)
    /// The first packet of a kind has come from a WebRTC publisher, be it muted or not.
    case mediaBegan(session: String, transport: TransportID, stream: String, kind: MediaKind)
    /// Of the largest encoding of its video: known now, or other ones than before.
    case dimensions(session: String, transport: TransportID, stream: String, width: Int, height: Int)
    /// A WebRTC peer has ended without being told to: it never connected, stopped checking the path, or said goodbye.
    case peerGone(session: String, transport: TransportID)
    /// Who has the floor in a room; nil: nobody.
    case activeSpeaker(session: String, room: String, stream: String?)
    /// Events of a session, or with nil of any, were too many for this reader: it has to look how things stand.
    case missed(session: String?)

    /// The engine's name of the session that it is about; nil: all of them.
    package var session: String? {
        switch self {
        case .published(let session, _, _), .closed(let session, _, _), .trackPaused(let session, _, _, _),
            .trackResumed(let session, _, _, _), .mediaBegan(let session, _, _, _),
            .dimensions(let session, _, _, _, _), .peerGone(let session, _), .activeSpeaker(let session, _, _):
            session
        case .missed(let session): session
        }
    }
}
