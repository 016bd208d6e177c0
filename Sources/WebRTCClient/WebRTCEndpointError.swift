package import DTLS
package import SDP

/// Why an endpoint could not make its connection of an answer.
package enum WebRTCEndpointError: Error, Sendable, Equatable, CustomStringConvertible {
    case answer(SDPError)
    case dtls(DTLSFailure)
    /// Keys were to come with the description, and none of them can be used.
    case unknownKeys
    /// An answer came before, and no offer since.
    case alreadyAnswered
    /// The relay's offer cannot be read or connected to.
    case offer(SDPError)
    /// The endpoint makes the offers itself.
    case unexpectedOffer

    package var description: String {
        switch self {
        case .answer(let error): "answer: \(error)"
        case .dtls(let failure): "DTLS: \(failure)"
        case .unknownKeys: "a=crypto: no key that can be used"
        case .alreadyAnswered: "an answer came before"
        case .offer(let error): "offer: \(error)"
        case .unexpectedOffer: "offers are made here"
        }
    }
}
