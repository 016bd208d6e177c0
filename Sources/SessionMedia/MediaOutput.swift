package import Conference
package import SDP
package import Signaling

/// Result of a step of `SessionMedia`, apart from its orders. To be carried out in their order.
package enum MediaOutput: Sendable {
    /// Event for `Conference.media`.
    case handle(MediaEvent)
    /// Offer of the relay to a client.
    case offer(ConnectionID, OfferMade)
    /// The only answer to a request, apart from publish requests; nil: it succeeded.
    case done(MediaRequestID, MediaRefusal?)
    /// Asks for `Conference.preparePublish`, whose result goes to `prepared`.
    case prepare(MediaRequestID, ConnectionID, [PublishRequest.Stream])
    /// Asks for `Conference.confirmPublish`, then `confirmed`. The answer to the client precedes the events that it causes.
    case confirm(MediaRequestID, PublishPlan)
    /// Asks for `Conference.cancelPublish`.
    case cancel(PublishPlan)
    /// The only answer to a publish request.
    case published(MediaRequestID, Result<PublishRequest.Answer, MediaRefusal>)
    /// The negotiation of a subscriber has changed, and no change is under way. Only if `savesSubscribers` is true.
    case negotiated(PeerID, SavedNegotiation)
    /// A peer no longer belongs to the session, so its lease ends.
    case ended(PeerID)
}
