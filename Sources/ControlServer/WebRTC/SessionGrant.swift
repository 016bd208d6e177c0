internal import Conference

/// What a session token in a WHIP or WHEP request gives.
struct SessionGrant: Sendable {
    /// The session that it is for.
    let key: SessionKey
    let token: VerifiedToken
}
