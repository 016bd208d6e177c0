import Signaling

/// Somebody who watches without signalling (WHEP, plain SRTP). No user: nobody is told of it, and it keeps no session alive.
struct Viewer: Sendable {
    let token: TokenFingerprint?
    /// It has shown the session's password, or is not asked for one.
    let hasPassed: Bool
}
