package import Conference
package import MediaBase
package import SDP
package import Signaling

/// Call of the media plane. The first three must reach it before anything else happens, and in their order.
package enum MediaOrder: Hashable, Sendable, Codable {
    case setMuted(StreamID, TrackKind, Bool)
    case closeStream(StreamID)
    case closePeer(PeerID, isPlain: Bool)
    /// Moves peers, all in one step.
    case relocate([PeerID: Location])
    case openPublisher(ConnectionID, PeerDescription, [PublishSection])
    case updatePublisher(PeerID, PeerDescription, [PublishSection])
    case openSubscriber(ConnectionID, isNative: Bool)
    /// Opens the transport that a client without a control connection offers. The caller has the offer of the request.
    case openVisitor(MediaRequestID, MediaVisitor)
    /// Takes the client's answer to the first offer.
    case connect(PeerID, PeerDescription)
    case restart(PeerID, ICECredentials)
    case prepareRestart(PeerID)
    case addTracks(PeerID, [SubscriberTrack])
    case removeTracks(PeerID, [MID])
    case setPreferences(PeerID, StreamID, SubscriptionPreferences)

    // `openVisitor` is missing, so that it cannot be encoded or decoded: only the caller has the offer, which it sends to the client's relay.
    private enum CodingKeys: String, CodingKey {
        case setMuted
        case closeStream
        case closePeer
        case relocate
        case openPublisher
        case updatePublisher
        case openSubscriber
        case connect
        case restart
        case prepareRestart
        case addTracks
        case removeTracks
        case setPreferences
    }
}
