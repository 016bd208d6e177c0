package import Signaling

/// Decides whether a token allows its bearer to enter a session.
package protocol TokenVerifier: Sendable {
    /// - Parameters:
    ///   - token: token as the client sent it, which may be any text.
    ///   - session: name of the session to enter, in lower case; nil: the token only identifies its user, and its session does not matter.
    ///   - now: milliseconds since 1970.
    /// - Returns: contents of the token, or an error with one of the `token…` codes.
    func verify(_ token: String, session: String?, now: Int64) async -> Result<VerifiedToken, SignalingError>
}
