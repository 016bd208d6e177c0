/// Reason why the negotiation of a subscribe peer connection refused a subscription or an answer.
package enum SubscribeNegotiationError: Error, Hashable, Sendable, CustomStringConvertible {
    case alreadySubscribed(String)
    case notSubscribed(String)
    case limitReached(Int)
    /// The answer belongs to an offer that is not open: a newer one replaced it, or it was answered before.
    case staleOffer(revision: Int)
    /// The answer cannot be parsed, or does not match the offer.
    case answer(SDPError)
    /// The answer has a different certificate, DTLS role or, without a restart, different ICE credentials than the previous answer.
    case transportChanged

    package var description: String {
        switch self {
        case .alreadySubscribed(let stream): "the stream \"\(stream)\" is subscribed to already"
        case .notSubscribed(let stream): "the stream \"\(stream)\" is not subscribed to"
        case .limitReached(let limit): "the limit of \(limit) subscriptions is reached"
        case .staleOffer(let revision): "offer \(revision) is not open"
        case .answer(let error): "\(error)"
        case .transportChanged: "SDP: the answer describes another transport than the one before"
        }
    }
}
