internal import Conference

/// What a request to WHIP or WHEP may do, after its door has looked at what it shows.
struct SessionGrant: Sendable {
    /// The session that it is for.
    let key: SessionKey
    /// What the media engine calls it.
    let engineName: String
    /// Of a session token; nil: it showed the door's own, or the door asks for none.
    var token: VerifiedToken?
    /// It showed the door's own.
    var isTrusted = false
}
