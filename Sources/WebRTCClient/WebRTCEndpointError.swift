package import DTLS
package import SDP

/// Reason why an endpoint could not use an answer or an offer.
package enum WebRTCEndpointError: Error, Sendable, Equatable, CustomStringConvertible {
    case answer(SDPError)
    case dtls(DTLSFailure)
    /// The description should contain keys, but none of them is usable.
    case unknownKeys
    /// The latest offer has an answer already.
    case alreadyAnswered
    /// The relay's offer cannot be parsed, or describes no usable connection.
    case offer(SDPError)
    /// An offer arrived, but this endpoint makes the offers itself.
    case unexpectedOffer

    package var description: String {
        switch self {
        case .answer(let error): "answer: \(error)"
        case .dtls(let failure): "DTLS: \(failure)"
        case .unknownKeys: "a=crypto: no usable key"
        case .alreadyAnswered: "the offer has an answer already"
        case .offer(let error): "offer: \(error)"
        case .unexpectedOffer: "this endpoint makes the offers"
        }
    }
}
