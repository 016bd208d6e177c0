package import HTTPTypes
package import NIOCore
import TLSChannel

/// Reason for which another relay of the cluster could not be asked.
package enum LinkError: Error, Sendable, CustomStringConvertible {
    /// The relay could not be reached, or one of the two relays does not know the other's certificate. The relay has not seen the request.
    case connect(String)
    /// The relay answered the request for a WebSocket with this response instead; the body may be cut at `LinkSettings.refusalBytes`.
    case refused(HTTPResponse, body: ByteBuffer)
    /// The relay did not answer in time. The request may have had its effect.
    case timeout
    /// The connection ended before the exchange was complete. The request may have had its effect.
    case broken(String)

    /// Converts an error of a connection.
    /// - Parameter isAnswered: whether a part of the relay's answer has arrived.
    init(_ error: any Error, isAnswered: Bool) {
        switch error {
        case let error as LinkError: self = error
        case TLSFailure.truncated, TLSFailure.unreadAnswers: self = .broken("\(error)")
        case let error as TLSFailure where !isAnswered: self = .connect("\(error)")
        case is CancellationError: self = .broken("the caller has given up")
        default: self = .broken("\(error)")
        }
    }

    /// Converts an error of a request's body.
    init(bodyError error: any Error) {
        self = error as? LinkError ?? .broken("the body of the request failed: \(error)")
    }

    package var description: String {
        switch self {
        case .connect(let reason): "cannot connect to the relay: \(reason)"
        case .refused(let response, _): "the relay answered \(response.status) instead of opening a WebSocket"
        case .timeout: "the relay did not answer in time"
        case .broken(let reason): "the link broke: \(reason)"
        }
    }
}
