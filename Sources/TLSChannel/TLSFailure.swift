/// Reason for which a TLS connection was not established, or ended without `close_notify`.
package enum TLSFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The text is no server name and no numeric address.
    case invalidName(String)
    /// The file cannot be read.
    case file(path: String, reason: String)
    /// PEM text without a usable certificate; the reason is from OpenSSL.
    case certificates(String)
    /// PEM text without a usable key; the reason is from OpenSSL.
    case key(String)
    /// The key does not belong to the certificate.
    case keyMismatch
    /// The server's certificate is not trusted, or not valid now; the reason is from OpenSSL.
    case untrusted(String)
    /// The server's certificate is for other names and addresses.
    case nameMismatch(String)
    /// The peer's certificate is not one of those that are known by their fingerprint.
    case unknownPeer
    /// The client presented no certificate, and the server requires one.
    case noCertificate
    /// The peer ended the handshake or the connection with a fatal alert (RFC 8446 section 6); the text is from OpenSSL.
    case alert(UInt8, String)
    /// The peer violated the protocol, sent no TLS, or shares no version or cipher suite; the text is from OpenSSL.
    case protocolError(String)
    /// The peer closed the connection during the handshake.
    case closedDuringHandshake
    /// The connection ended without `close_notify`, so that data may be missing (RFC 8446 section 6.1).
    case truncated
    /// The handshake took too long.
    case timedOut
    /// More bytes were written before the end of the handshake than the handler keeps.
    case tooManyPendingBytes(limit: Int)
    /// The peer requests answers of the protocol but reads none.
    case unreadAnswers
    /// OpenSSL failed for a reason that no input of a peer can cause, such as lack of memory.
    case library(String)

    package var description: String {
        switch self {
        case .invalidName(let name): "\"\(name)\" is not the name of a server"
        case .file(let path, let reason): "cannot read \(path): \(reason)"
        case .certificates(let reason): "no usable certificate: \(reason)"
        case .key(let reason): "no usable key: \(reason)"
        case .keyMismatch: "the key does not belong to the certificate"
        case .untrusted(let reason): "the certificate is not accepted: \(reason)"
        case .nameMismatch(let name): "the certificate is not for \(name)"
        case .unknownPeer: "the peer's certificate is not that of a known relay"
        case .noCertificate: "the client presented no certificate"
        case .alert(let number, let text): "the peer sent alert \(number): \(text)"
        case .protocolError(let reason): "TLS protocol error: \(reason)"
        case .closedDuringHandshake: "the peer closed the connection during the handshake"
        case .truncated: "the connection ended without close_notify"
        case .timedOut: "the handshake took too long"
        case .tooManyPendingBytes(let limit): "over \(limit) bytes written before the end of the handshake"
        case .unreadAnswers: "the peer does not read"
        case .library(let reason): "OpenSSL: \(reason)"
        }
    }
}
