package import MediaBase
package import Transport

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
    /// A WebRTC peer has no media some seconds after it was admitted, or after it connected as a publisher. It may have some yet.
    case noMediaPath(session: String, transport: TransportID, MediaPathFailure)
    /// Who has the floor in a room; nil: nobody.
    case activeSpeaker(session: String, room: String, stream: String?)
    /// Events of a session, or with nil of any, were too many for this reader: it has to look how things stand.
    case missed(session: String?)

    /// The engine's name of the session that it is about; nil: all of them.
    package var session: String? {
        switch self {
        case .published(let session, _, _), .closed(let session, _, _), .trackPaused(let session, _, _, _),
            .trackResumed(let session, _, _, _), .mediaBegan(let session, _, _, _),
            .dimensions(let session, _, _, _, _), .peerGone(let session, _),
            .noMediaPath(let session, _, _), .activeSpeaker(let session, _, _):
            session
        case .missed(let session): session
        }
    }
}
