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
}
