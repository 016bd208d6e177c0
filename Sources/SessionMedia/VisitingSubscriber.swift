/// Subscriber without a control connection (WHEP, plain SRTP).
struct VisitingSubscriber: Sendable {
    let isPlain: Bool
    /// Its transport; nil while the media plane opens it.
    var peer: PeerID?
    /// Its request, and the order that opens the transport, until the request is answered.
    var opening: (request: MediaRequestID, ticket: MediaTicket)?
}
