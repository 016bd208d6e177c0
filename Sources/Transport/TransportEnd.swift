package import DTLS

/// Reason why a transport ended.
package enum TransportEnd: Error, Sendable, Equatable, CustomStringConvertible {
    /// The handshake did not complete in time.
    case connectTimeout
    /// No authenticated packet was received from the peer's selected address (relay), or no check was answered (client), for too long.
    case consentLost
    /// The peer sent `close_notify`.
    case closedByPeer
    case dtls(DTLSFailure)

    package var description: String {
        switch self {
        case .connectTimeout: "not connected in time"
        case .consentLost: "no authenticated packets from the peer"
        case .closedByPeer: "closed by the peer"
        case .dtls(let failure): "DTLS: \(failure)"
        }
    }
}
