/// Why a DTLS association did not come about, or ended other than by `close_notify`.
package enum DTLSFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The peer announced no certificate fingerprint, so none of its certificates could be accepted (RFC 8122 section 5).
    case noFingerprint
    /// No SRTP suite to offer.
    case noSuite
    /// The peer's certificate has none of the announced fingerprints.
    case fingerprintMismatch
    /// The peer sent no certificate though asked for one (RFC 5763 section 5).
    case noPeerCertificate
    /// The peer did not agree to any SRTP suite (RFC 5764 section 4.1).
    case noSRTPProfile
    /// A fatal alert of the peer, by its number in RFC 5246 section 7.2.
    case alert(UInt8)
    /// The peer broke the protocol, or has no cipher suite or version in common; the text is OpenSSL's.
    case handshake(String)
    /// More datagrams came than a handshake can need.
    case tooManyDatagrams(limit: Int)
    /// Nothing was heard through all retransmissions of a flight.
    case timedOut
    /// OpenSSL refused what no input of a peer can cause, such as memory that is not there.
    case library(String)

    package var description: String {
        switch self {
        case .noFingerprint: "the peer announced no certificate fingerprint"
        case .noSuite: "no SRTP suite to offer"
        case .fingerprintMismatch: "the peer's certificate has none of the announced fingerprints"
        case .noPeerCertificate: "the peer sent no certificate"
        case .noSRTPProfile: "the peer agreed to no SRTP suite (use_srtp)"
        case .alert(let number): "the peer sent alert \(number)"
        case .handshake(let reason): "the DTLS handshake failed: \(reason)"
        case .tooManyDatagrams(let limit): "more than \(limit) DTLS datagrams without success"
        case .timedOut: "the peer did not answer the DTLS handshake"
        case .library(let reason): "OpenSSL: \(reason)"
        }
    }
}
