/// Why a subscribe peer connection's negotiation refused a wish or an answer.
package enum SubscribeNegotiationError: Error, Hashable, Sendable, CustomStringConvertible {
    case alreadySubscribed(String)
    case notSubscribed(String)
    case limitReached(Int)
    /// The answer is to an offer that is not open: another has followed, or it was answered before.
    case staleOffer(revision: Int)
    /// The answer cannot be read, or does not fit the offer.
    case answer(SDPError)
    /// The answer describes another certificate, another DTLS role or, without a restart, other ICE credentials than the ones before.
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
