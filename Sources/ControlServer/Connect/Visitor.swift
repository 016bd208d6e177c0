import Conference
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

    /// Party for which its transports are counted; clients of the operator have no limits.
    var holder: ResourceHolder {
        if isTrusted { return .unlimited }
        return token?.holder(address: address) ?? ResourceHolder(address: address)
    }

    /// - Parameter isPublisher: true for a publisher, false for a subscriber.
    func admission(as name: String, isPublisher: Bool) -> Admission {
        Admission(
            connection: ConnectionID(rawValue: Secret.id()), name: name, identity: token?.identity, data: token?.data,
            kind: .publisher, capabilities: token?.capabilities ?? Capabilities(canPublish: isPublisher),
            token: (token?.fingerprint).map { TokenFingerprint(rawValue: $0) }, password: password,
            isTrusted: isTrusted)
    }
}
