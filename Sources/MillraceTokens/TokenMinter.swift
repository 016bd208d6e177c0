import Cryptography
import Foundation
public import Signaling

/// Creates session tokens with an app's secret, for backends: JWTs (RFC 7519) signed with HS256. The secret never leaves the
/// backend.
///
/// ```swift
/// let minter = try TokenMinter(app: "shop", secret: secret)
/// let token = try minter.mint(TokenGrant(session: "support 17", identity: "anna", role: .publisher))
/// ```
public struct TokenMinter: Sendable {
    /// Key of the app.
    public let app: String
    private let key: [UInt8]

    /// - Parameters:
    ///   - app: key of the app, as in the relay's configuration.
    ///   - secret: secret of the app, 32 to 512 bytes.
    /// - Throws: `invalidField` if the key or the secret is invalid.
    public init(app: String, secret: String) throws(SignalingError) {
        guard AppRule.isKey(app) else {
            throw SignalingError(
                .invalidField, "an app key is 1 to 64 letters, digits, dots, hyphens and underscores", field: "app")
        }
        guard AppRule.secretBytes.contains(secret.utf8.count) else {
            throw SignalingError(
                .invalidField,
                "a secret has \(AppRule.secretBytes.lowerBound) to \(AppRule.secretBytes.upperBound) bytes",
                field: "secret")
        }
        self.app = app
        key = Array(secret.utf8)
    }

    /// Creates a token that is valid from now on.
    ///
    /// - Throws: `invalidSessionName`, or `invalidField` with the claim that is out of range.
    /// - Returns: the token, at most 8 KiB of ASCII (RFC 7515 section 3.1).
    public func mint(_ grant: TokenGrant) throws(SignalingError) -> String {
        try mint(grant, now: Int64(Date().timeIntervalSince1970))
    }

    /// Creates a token with the given time of issue.
    /// - Parameter now: seconds since 1970.
    public func mint(_ grant: TokenGrant, now: Int64) throws(SignalingError) -> String {
        let session = grant.session.lowercased()
        // The lower-case form of some letters is longer.
        if let reason = NameRule.objection(to: grant.session) ?? NameRule.objection(to: session) {
            throw SignalingError(.invalidSessionName, reason, field: "session")
        }
        guard TokenGrant.lifetimes.contains(grant.lifetime) else {
            throw SignalingError(
                .invalidField,
                "a lifetime is \(TokenGrant.lifetimes.lowerBound) to \(TokenGrant.lifetimes.upperBound) seconds",
                field: "seconds")
        }
        let claims = TokenClaims(
            appKey: app, topic: session, expiresAt: Double(now) + Double(grant.lifetime), issuedAt: Double(now),
            notBefore: nil, identity: grant.identity, roleType: grant.canHost ? 1 : 0, version: TokenClaims.version,
            role: grant.role, data: grant.data,
            // Without an id, two tokens for the same grant within the same second would be identical, and would share rate limits.
            tokenID: UUID().uuidString, requiresEncryption: grant.requiresEncryption ? true : nil)
        if let (claim, reason) = claims.objection {
            throw SignalingError(.invalidField, "\(claim.rawValue) \(reason)", field: claim.rawValue)
        }
        let payload: Data
        do {
            payload = try JSONEncoder().encode(claims)
        } catch {
            throw SignalingError(.internalError, "the token could not be signed: \(error)")
        }
        let signed = Self.base64URL(Data(#"{"alg":"HS256","typ":"JWT"}"#.utf8)) + "." + Self.base64URL(payload)
        let code = HMAC.code(of: Array(signed.utf8), key: key, .sha256)
        let token = signed + "." + Self.base64URL(Data(code))
        guard token.utf8.count <= TokenClaims.maximumBytes else {
            throw SignalingError(.invalidField, "the token would exceed the relay's size limit", field: "data")
        }
        return token
    }

    /// Returns base64url without padding (RFC 7515 section 2).
    private static func base64URL(_ data: Data) -> String {
        data.base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }
}
