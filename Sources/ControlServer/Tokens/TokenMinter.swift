internal import Foundation
internal import JWTKit
package import Signaling

/// Makes session tokens with an app's secret (TOK-4).
///
/// ```swift
/// let minter = try TokenMinter(app: "shop", secret: secret)
/// let token = try await minter.mint(TokenGrant(session: "support 17", role: .publisher), now: 1_800_000_000)
/// ```
package struct TokenMinter: Sendable {
    package let app: String
    private let secret: String

    /// - Throws: `invalidField` where key or secret cannot be an app's.
    package init(app: String, secret: String) throws(SignalingError) {
        guard AppDirectory.isKey(app) else {
            throw SignalingError(
                .invalidField, "an app key is 1 to 64 letters, digits, dots, hyphens and underscores", field: "app")
        }
        guard AppDirectory.secretBytes.contains(secret.utf8.count) else {
            throw SignalingError(
                .invalidField,
                "a secret has \(AppDirectory.secretBytes.lowerBound) to \(AppDirectory.secretBytes.upperBound) bytes",
                field: "secret")
        }
        self.app = app
        self.secret = secret
    }

    /// - Parameter now: seconds since 1970.
    package func mint(_ grant: TokenGrant, now: Int64) async throws(SignalingError) -> String {
        let session: SessionName
        do throws(Problem) {
            session = try SessionName(grant.session)
        } catch {
            throw SignalingError(error.code, error.detail, field: "session")
        }
        guard TokenGrant.lifetimes.contains(grant.lifetime) else {
            throw SignalingError(
                .invalidField,
                "a token lives \(TokenGrant.lifetimes.lowerBound) to \(TokenGrant.lifetimes.upperBound) seconds",
                field: "seconds")
        }
        let claims = TokenClaims(
            appKey: app, topic: session.rawValue, expiresAt: Double(now + grant.lifetime), issuedAt: Double(now),
            notBefore: nil, identity: grant.identity, roleType: grant.canHost ? 1 : 0, version: TokenClaims.version,
            role: grant.role, data: grant.data,
            // Tokens of one second for the same grant would be the same token otherwise, and share its limits.
            tokenID: Secret.id())
        if let (claim, reason) = claims.objection {
            throw SignalingError(.invalidField, "\(claim.rawValue) \(reason)", field: claim.rawValue)
        }
        let keys = await JWTKeyCollection().add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256)
        do {
            let token = try await keys.sign(claims)
            guard token.utf8.count <= TokenText.maximumBytes else {
                throw SignalingError(.invalidField, "the token would be larger than the relay takes", field: "data")
            }
            return token
        } catch let error as SignalingError {
            throw error
        } catch {
            throw SignalingError(.internalError, "the token could not be signed: \(error)")
        }
    }
}
