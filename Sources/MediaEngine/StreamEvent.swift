package import MediaBase
package import Transport

/// Changes of streams and peers that the engine reports. Events of a stream name its publisher's transport, because another transport may
/// publish under the same name before the event is read. Events of a subscribed track name the transport that receives it.
package enum StreamEvent: Sendable, Equatable, Codable {
    case published(session: String, transport: TransportID, stream: String)
    case closed(session: String, transport: TransportID, stream: String)
    /// A subscriber's video track was paused because its path has too little bandwidth, or was resumed.
    case trackPaused(session: String, transport: TransportID, stream: String, kind: MediaKind)
    case trackResumed(session: String, transport: TransportID, stream: String, kind: MediaKind)
    /// A subscriber accepts no payload type for the codec of a stream, whose video it does not get; its audio is sent.
    case unsupportedCodec(session: String, transport: TransportID, stream: String, codec: VideoCodec)
    /// A stream's video has changed to a codec that the subscriber accepts, after `unsupportedCodec`.
    case supportedCodec(session: String, transport: TransportID, stream: String)
    /// The first packet of a kind arrived from a WebRTC publisher, muted or not.
    case mediaBegan(session: String, transport: TransportID, stream: String, kind: MediaKind)
    /// Frame size of the largest video encoding, when it becomes known and whenever it changes.
    case dimensions(session: String, transport: TransportID, stream: String, width: Int, height: Int)
    /// A stream's H.264 has frames that are not sent in the order in which they are shown. Reported once for a stream.
    case framesReordered(session: String, transport: TransportID, stream: String)
    /// A WebRTC peer ended without a call: it did not connect in time, was displaced by a newer peer,
    /// lost consent, failed in DTLS, or closed the connection.
    case peerGone(session: String, transport: TransportID)
    /// A WebRTC peer has no media some seconds after it was admitted or, for a publisher, after it connected. Media may still begin.
    case noMediaPath(session: String, transport: TransportID, MediaPathFailure)
    /// Active speaker of a subsession; nil: none.
    case activeSpeaker(session: String, subsession: String, stream: String?)
    /// The streams that a session publishes at this relay have changed since they were described for its pipes.
    case pipedStreamsChanged(session: String)
    /// A stream of another relay of the cluster can be subscribed to here. Its other events come from its own relay.
    case mirrored(session: String, stream: String)
    /// Events of a session, or of any session if nil, were dropped because this reader was too slow.
    /// The reader has to query the current state.
    case missed(session: String?)

    /// Transport that the event is about; nil: none.
    package var transport: TransportID? {
        switch self {
        case .published(_, let transport, _), .closed(_, let transport, _), .trackPaused(_, let transport, _, _),
            .trackResumed(_, let transport, _, _), .unsupportedCodec(_, let transport, _, _),
            .supportedCodec(_, let transport, _), .mediaBegan(_, let transport, _, _),
            .dimensions(_, let transport, _, _, _), .framesReordered(_, let transport, _), .peerGone(_, let transport),
            .noMediaPath(_, let transport, _):
            transport
        case .activeSpeaker, .pipedStreamsChanged, .mirrored, .missed: nil
        }
    }

    /// Engine name of the session that the event concerns; nil: all sessions.
    package var session: String? {
        switch self {
        case .published(let session, _, _), .closed(let session, _, _), .trackPaused(let session, _, _, _),
            .trackResumed(let session, _, _, _), .unsupportedCodec(let session, _, _, _),
            .supportedCodec(let session, _, _), .mediaBegan(let session, _, _, _),
            .dimensions(let session, _, _, _, _), .framesReordered(let session, _, _), .peerGone(let session, _),
            .noMediaPath(let session, _, _), .activeSpeaker(let session, _, _), .pipedStreamsChanged(let session),
            .mirrored(let session, _):
            session
        case .missed(let session): session
        }
    }
}
