package import DTLS
package import SDP

/// Why an endpoint could not make its connection of an answer.
package enum WebRTCEndpointError: Error, Sendable, Equatable, CustomStringConvertible {
    case answer(SDPError)
    case dtls(DTLSFailure)
    /// An answer came before.
    case alreadyAnswered

    package var description: String {
        switch self {
        case .answer(let error): "answer: \(error)"
        case .dtls(let failure): "DTLS: \(failure)"
        case .alreadyAnswered: "an answer came before"
        }
    }
}
