import Signaling

/// Payload of a session token (TOK-1). `TokenFault` reports claims that are missing or have the wrong type.
package struct TokenClaims: Codable, Sendable {
    /// Key of the app whose secret signs the token.
    package var appKey: String
    /// Name of the session.
    package var topic: String
    /// Expiry as NumericDate (RFC 7519 section 2), like all times here.
    package var expiresAt: Double
    package var issuedAt: Double?
    package var notBefore: Double?
    package var identity: String?
    /// 1 if the bearer may become host or manager, otherwise 0.
    package var roleType: Int?
    package var version: Int?
    package var role: TokenRole?
    package var data: String?
    /// Distinguishes tokens whose other claims are equal.
    package var tokenID: String?
    /// Whether a session that begins with this token requires end-to-end encryption of every stream.
    package var requiresEncryption: Bool?

    package enum CodingKeys: String, CodingKey, CaseIterable {
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
        case requiresEncryption = "requires_encryption"
    }

    package static let version = 1
    /// Maximum size of a token in compact serialization, in bytes.
    package static let maximumBytes = 8 << 10
    package static let maximumIdentityCharacters = ConversationLimits.userIDCharacters.upperBound
    package static let maximumDataCharacters = 1_000
    package static let maximumTokenIDCharacters = 200

    package var canHost: Bool { roleType == 1 }

    /// First claim whose value is out of range, and the reason.
    package var objection: (claim: CodingKeys, reason: String)? {
        if let identity, identity.count > Self.maximumIdentityCharacters {
            return (
                .identity, "has \(identity.count) characters, at most \(Self.maximumIdentityCharacters) are allowed"
            )
        }
        if let identity, !identity.isEmpty,
            let reason = NameRule.objection(
                toShown: identity, subject: "as a name,", characters: Self.maximumIdentityCharacters,
                bytes: Self.maximumBytes)
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
        // Beyond any real date, and still exactly representable as an integer.
        let dates = -4e12...4e12
        if !dates.contains(expiresAt) { return (.expiresAt, "is not a valid date") }
        if let issuedAt, !dates.contains(issuedAt) { return (.issuedAt, "is not a valid date") }
        if let notBefore, !dates.contains(notBefore) { return (.notBefore, "is not a valid date") }
        return nil
    }
}
