package import DTLS

/// Why a transport is no more.
package enum TransportEnd: Error, Sendable, Equatable, CustomStringConvertible {
    /// The handshake was not done in time.
    case connectTimeout
    /// Nothing authentic has come from the peer's selected address (the relay's view), or it has answered no check (the client's), for
    /// too long.
    case consentLost
    /// The peer sent `close_notify`.
    case closedByPeer
    case dtls(DTLSFailure)

    package var description: String {
        switch self {
        case .connectTimeout: "not connected in time"
        case .consentLost: "the peer fell silent"
        case .closedByPeer: "closed by the peer"
        case .dtls(let failure): "DTLS: \(failure)"
        }
    }
}
