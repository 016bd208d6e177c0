import Conference
import MediaBase
import SDP
import Signaling

/// Publish request in progress, or admission of a publisher without a control connection.
struct Publishing: Sendable {
    /// Event of the media plane about the peer. It must not reach `Conference` before the outcome of the request.
    enum Event: Hashable, Sendable {
        case began(StreamID, PeerID)
        case closed(StreamID, PeerID)
        case gone(PeerID)
    }

    let id: MediaRequestID
    /// Empty if the publisher has no control connection: the caller has the offer.
    let body: PublishRequest
    let visitor: MediaVisitor?
    /// Whether the offer may carry keys.
    let takesKeys: Bool
    let videoCodecs: [VideoCodec]
    var plan: PublishPlan?
    var offer: Offer?
    var sections: [PublishSection] = []
    /// Kinds with which the transport of a publisher without a control connection opens muted, while no order has changed them.
    var openedMuted: Set<TrackKind> = []
    /// The relay's side, while the new peer is moved to its client's location and the mutes are set.
    var relay: RelayDescription?
    /// Whether the peer connection replaces another one.
    var isAnew = false
    var ticket: MediaTicket?
    var held: [Event] = []
    /// Requests that are answered when this one is.
    var watchers: [MediaRequestID] = []

    init(_ id: MediaRequestID, _ body: PublishRequest, takesKeys: Bool, videoCodecs: [VideoCodec]) {
        self.id = id
        self.body = body
        visitor = nil
        self.takesKeys = takesKeys
        self.videoCodecs = videoCodecs
    }

    init(_ id: MediaRequestID, _ visitor: MediaVisitor) {
        self.id = id
        body = PublishRequest(sdp: "", streams: [])
        self.visitor = visitor
        takesKeys = false
        videoCodecs = []
    }
}
