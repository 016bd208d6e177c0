import MediaBase
import MediaEngine
import SDP
import Signaling

/// A client's subscribe peer connection, in which the relay makes the offers.
struct SubscribePeer {
    let id: TransportID
    let transport: MediaTransport
    var negotiation: SubscribeNegotiation
    /// Streams whose media the client has agreed to take; it was told so.
    var connected: Set<StreamID> = []
    /// Kinds of a stream that the client does not take.
    var refused: [StreamID: Set<MediaKind>] = [:]
    /// An offer will be made when the negotiation's deadline has come.
    var isOfferPlanned = false

    init(_ offer: SubscriberOffer, transport: MediaTransport, limit: Int) {
        id = offer.id
        self.transport = transport
        var configuration = SubscribeNegotiation.Configuration(relay: offer.relay)
        configuration.maximumSubscriptions = limit
        var random = SystemRandomNumberGenerator()
        negotiation = SubscribeNegotiation(configuration, using: &random)
    }
}
