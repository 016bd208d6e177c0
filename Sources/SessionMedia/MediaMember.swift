import Conference
import MediaBase
import Signaling

/// Media of one participant: a client with a control connection, or a publisher without one. A session may have thousands, most of which have
/// no work in progress.
struct MediaMember: Sendable {
    /// Nil: it has a control connection.
    var visitor: MediaVisitor?
    /// Location of its peers, or the location to which they are being moved.
    var location = Location.mainSession
    /// Kind of its next subscribe peer connection.
    var subscribeTransport = MediaTransport.webRTC
    @Boxed var subscriber: SubscribePeer? = nil
    /// Subscribe peer connection of the session's previous home relay, without a known negotiation. It continues until the client resumes, and then
    /// subscribes again.
    var formerSubscriber: PeerID?
    var publisher: PublishPeer?
    /// Whether it has ever had a publish peer connection.
    var hasPublished = false

    /// Work on the subscribe peer connection: first the changes of subscriptions, then requests, then an offer.
    var orders = SubscriptionOrders()
    var requests: [SubscriberRequest] = []
    var isOfferDue = false
    @Boxed var operation: SubscriberOperation? = nil
    /// Whether it is in the list of members with new work.
    var isReady = false

    @Boxed var publishing: Publishing? = nil
    /// Requests that wait for the one in progress.
    var waitingToPublish: [Publishing] = []

    var peers: [PeerID] { [publisher?.id, subscriber?.id, formerSubscriber].compactMap(\.self) }
}
