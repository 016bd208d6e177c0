package import JWTKit
package import MillraceTokens

extension TokenClaims: JWTPayload {
    /// Does nothing: `JWTVerifier` checks the times, because it has the clock.
    package func verify(using algorithm: some JWTAlgorithm) async throws {}
}
