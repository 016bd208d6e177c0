/// Reason why a DTLS association was not established, or ended without `close_notify`.
package enum DTLSFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The peer announced no certificate fingerprint, so none of its certificates could be accepted (RFC 8122 section 5).
    case noFingerprint
    /// No SRTP suite to offer.
    case noSuite
    /// The peer's certificate has none of the announced fingerprints.
    case fingerprintMismatch
    /// The peer sent no certificate although one was requested (RFC 5763 section 5).
    case noPeerCertificate
    /// No SRTP suite was agreed on (RFC 5764 section 4.1).
    case noSRTPProfile
    /// The peer sent a fatal alert with this number (RFC 5246 section 7.2).
    case alert(UInt8)
    /// The peer violated the protocol, or shares no cipher suite or version; the text is from OpenSSL.
    case handshake(String)
    /// The peer sent more datagrams than a handshake can need.
    case tooManyDatagrams(limit: Int)
    /// No answer after all retransmissions of a flight.
    case timedOut
    /// OpenSSL failed for a reason that no input of a peer can cause, such as lack of memory.
    case library(String)

    package var description: String {
        switch self {
        case .noFingerprint: "the peer announced no certificate fingerprint"
        case .noSuite: "no SRTP suite to offer"
        case .fingerprintMismatch: "the peer's certificate has none of the announced fingerprints"
        case .noPeerCertificate: "the peer sent no certificate"
        case .noSRTPProfile: "no SRTP suite in common with the peer (use_srtp)"
        case .alert(let number): "the peer sent alert \(number)"
        case .handshake(let reason): "the DTLS handshake failed: \(reason)"
        case .tooManyDatagrams(let limit): "more than \(limit) DTLS datagrams without success"
        case .timedOut: "the peer did not answer the DTLS handshake"
        case .library(let reason): "OpenSSL: \(reason)"
        }
    }
}
