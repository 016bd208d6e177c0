internal import JWTKit
internal import Signaling

/// The payload of a session token (TOK-1). What is missing or of another type is told by `TokenFault`.
struct TokenClaims: Codable, Sendable, JWTPayload {
    /// Key of the app whose secret signs.
    var appKey: String
    /// The session's name.
    var topic: String
    /// NumericDate (RFC 7519 section 2), as all times here.
    var expiresAt: Double
    var issuedAt: Double?
    var notBefore: Double?
    var identity: String?
    /// 1: may become host or manager.
    var roleType: Int?
    var version: Int?
    var role: TokenRole?
    var data: String?
    /// Tells tokens apart that are alike otherwise.
    var tokenID: String?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case appKey = "app_key"
        case topic = "tpc"
        case expiresAt = "exp"
        case issuedAt = "iat"
        case notBefore = "nbf"
        case identity = "user_identity"
        case roleType = "role_type"
        case version
        case role
        case data
        case tokenID = "jti"
    }

    static let version = 1
    static let maximumIdentityCharacters = ConversationLimits.userIDCharacters.upperBound
    static let maximumDataCharacters = 1_000
    static let maximumTokenIDCharacters = 200

    var canHost: Bool { roleType == 1 }

    /// Times are judged by the verifier, which has the clock.
    func verify(using algorithm: some JWTAlgorithm) async throws {}

    /// The first claim whose value is out of its range, and what it may be.
    var objection: (claim: CodingKeys, reason: String)? {
        if let identity, identity.count > Self.maximumIdentityCharacters {
            return (
                .identity, "has \(identity.count) characters, at most \(Self.maximumIdentityCharacters) are allowed"
            )
        }
        if let identity, !identity.isEmpty,
            let reason = NameRule.objection(
                toShown: identity, subject: "as a name,", characters: Self.maximumIdentityCharacters,
                bytes: TokenText.maximumBytes)
        {
            return (.identity, reason)
        }
        if let data, data.count > Self.maximumDataCharacters {
            return (.data, "has \(data.count) characters, at most \(Self.maximumDataCharacters) are allowed")
        }
        if let tokenID, tokenID.count > Self.maximumTokenIDCharacters {
            return (
                .tokenID, "has \(tokenID.count) characters, at most \(Self.maximumTokenIDCharacters) are allowed"
            )
        }
        if let roleType, roleType != 0, roleType != 1 { return (.roleType, "is \(roleType), not 0 or 1") }
        if let version, version != Self.version { return (.version, "is \(version), not \(Self.version)") }
        // Far beyond any date, and still exact as a whole number.
        let dates = -4e12...4e12
        if !dates.contains(expiresAt) { return (.expiresAt, "is no date") }
        if let issuedAt, !dates.contains(issuedAt) { return (.issuedAt, "is no date") }
        if let notBefore, !dates.contains(notBefore) { return (.notBefore, "is no date") }
        return nil
    }
}
