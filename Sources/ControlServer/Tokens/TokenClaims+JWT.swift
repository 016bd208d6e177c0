package import JWTKit
package import MillraceTokens

extension TokenClaims: JWTPayload {
    /// Times are judged by the verifier, which has the clock.
    package func verify(using algorithm: some JWTAlgorithm) async throws {}
}
