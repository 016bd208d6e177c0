package import Signaling

/// Says whether a token lets its bearer into a session.
package protocol TokenVerifier: Sendable {
    /// - Parameters:
    ///   - token: as the client sent it; anything at all.
    ///   - session: name of the session to enter, in lower case; nil: the token is asked for its user, whatever its session.
    ///   - now: milliseconds since 1970.
    /// - Returns: what it says, or the one of the `token…` codes that says why it does not let in.
    func verify(_ token: String, session: String?, now: Int64) async -> Result<VerifiedToken, SignalingError>
}
