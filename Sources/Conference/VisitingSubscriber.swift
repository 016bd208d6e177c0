import Signaling

/// A subscriber without signalling (WHEP, plain SRTP). It is not a participant: clients are not notified of it, and it
/// does not keep the session alive.
struct VisitingSubscriber: Sendable {
    let token: TokenFingerprint?
    /// It gave the session's password or does not need one.
    let hasPassed: Bool
}
