import Conference
import Signaling

/// Somebody at a door without signalling (WHIP, WHEP, plain SRTP), as the door has judged it. What it may in the session is for the
/// session's rules to say.
struct Visitor: Sendable {
    /// The session that it is let to.
    let key: SessionKey
    /// Nil: it showed the door's own token, or the door asks for none.
    var token: VerifiedToken?
    /// It showed the door's own token, which operators give out: no password is asked for.
    var isTrusted: Bool
    /// Of the session, as it says.
    var password: String?
    /// See `ClientAddress`.
    var address: String

    /// The party that its transports are counted for; clients of the operator have no limits.
    var holder: ResourceHolder {
        if isTrusted { return .unlimited }
        return token?.holder(address: address) ?? ResourceHolder(address: address)
    }

    /// - Parameter isPublisher: else it wants to watch.
    func admission(as name: String, isPublisher: Bool) -> Admission {
        Admission(
            connection: ConnectionID(rawValue: Secret.id()), name: name, identity: token?.identity, data: token?.data,
            kind: .publisher, capabilities: token?.capabilities ?? Capabilities(canPublish: isPublisher),
            token: (token?.fingerprint).map { TokenFingerprint(rawValue: $0) }, password: password,
            isTrusted: isTrusted)
    }
}
