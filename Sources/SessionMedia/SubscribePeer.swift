import MediaBase
import SDP
import Signaling

/// Subscribe peer connection of a client, for which the relay makes the offers.
struct SubscribePeer: Sendable {
    let id: PeerID
    let transport: MediaTransport
    var negotiation: SubscribeNegotiation
    /// Streams that the client has agreed to receive; it has been told so.
    var connected: Set<StreamID> = []
    /// Kinds of each stream that the client refused.
    var refused: [StreamID: Set<MediaKind>] = [:]
    /// Whether an offer is scheduled for the negotiation's deadline.
    var isOfferPlanned = false
    /// Whether its client has not resumed after a take-over: offers wait, because the client would not get them.
    var isHeld = false
    /// Whether the negotiation has changed since it was last saved.
    var isUnsaved = true

    /// Continues the negotiation of the session's previous home relay; nil if it is inconsistent.
    init?(id: PeerID, continuing saved: SavedNegotiation, maximumSubscriptions: Int, now: MediaTime) {
        guard
            let negotiation = SubscribeNegotiation(
                continuing: saved, maximumSubscriptions: maximumSubscriptions, now: now)
        else { return nil }
        self.init(id: id, transport: saved.isNative ? .native : .webRTC, negotiation: negotiation)
        connected = Set(negotiation.agreedStreams.map(StreamID.init(rawValue:)))
        refused = negotiation.refusedKinds.reduce(into: [:]) { $0[StreamID(rawValue: $1.key)] = $1.value }
        isHeld = true
    }

    init(id: PeerID, transport: MediaTransport, negotiation: SubscribeNegotiation) {
        self.id = id
        self.transport = transport
        self.negotiation = negotiation
    }
}
