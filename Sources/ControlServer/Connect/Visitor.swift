import Cluster
import Conference
import SessionMedia
import Signaling

/// Client without a control connection (WHIP, WHEP, plain SRTP), after its endpoint has checked it. `Conference` decides on its permissions
/// in the session.
struct Visitor: Sendable {
    /// Session that it asks to enter.
    let key: SessionKey
    /// Nil: it sent the endpoint's own token, or the endpoint needs none.
    var token: VerifiedToken?
    /// Whether it sent the endpoint's own token. Operators give that token out, so no password is needed.
    var isTrusted: Bool
    /// Session password in the request.
    var password: String?
    /// See `ClientAddress`.
    var address: String
    /// Relay that it asked, if that one has proxied its request and can have its media; nil: this relay.
    var relay: RelayIdentity?

    /// Party for which its transports are counted; clients of the operator have no limits.
    var holder: ResourceHolder {
        if isTrusted { return .unlimited }
        return token?.holder(address: address) ?? ResourceHolder(address: address)
    }

    /// Returns its request to enter. The name of a publisher is that of its stream.
    func admission(of media: MediaVisitor) -> Admission {
        let name = if case .publish(let stream, _) = media.purpose { stream.rawValue } else { "" }
        return Admission(
            connection: media.connection, name: name, identity: token?.identity, data: token?.data,
            kind: .publisher, capabilities: token?.capabilities ?? Capabilities(canPublish: media.isPublisher),
            token: (token?.fingerprint).map { TokenFingerprint(rawValue: $0) }, password: password,
            isTrusted: isTrusted, requiresEncryption: token?.requiresEncryption ?? false)
    }
}
