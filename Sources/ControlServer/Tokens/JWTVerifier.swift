import Cryptography
import Foundation
import MillraceTokens
package import Signaling

/// Verifies tokens with the secrets of the relay's apps.
package struct JWTVerifier: TokenVerifier {
    static let algorithm = "HS256"

    let apps: AppDirectory
    /// Maximum clock difference in seconds.
    let leeway: Int
    package let statistics: TokenStatistics

    package init(apps: AppDirectory, leeway: Int = 5, statistics: TokenStatistics = TokenStatistics()) {
        self.apps = apps
        self.leeway = leeway
        self.statistics = statistics
    }

    package func verify(
        _ token: String, session: String?, now: Int64
    ) async -> Result<VerifiedToken, SignalingError> {
        do throws(SignalingError) {
            let verified = try judge(token, session: session, now: Double(now) / 1_000)
            statistics.accepted()
            return .success(verified)
        } catch {
            statistics.refused(error.code)
            // A client must not learn which apps the relay has.
            return .failure(error.code == .tokenUnknownApp ? SignalingError(.tokenBadSignature) : error)
        }
    }

    /// - Parameter now: seconds since 1970.
    private func judge(
        _ token: String, session: String?, now: Double
    ) throws(SignalingError) -> VerifiedToken {
        guard !token.isEmpty else { throw SignalingError(.tokenMissing) }
        let text: TokenText
        do throws(TokenText.Malformed) {
            text = try TokenText(token)
        } catch {
            throw SignalingError(.tokenMalformed, "the token cannot be read: \(error.reason)")
        }
        guard text.header.alg == Self.algorithm else {
            throw SignalingError(.tokenAlgorithm, "the token's alg is not \(Self.algorithm)")
        }
        let claims = try Self.claims(in: text.payload)
        let secret = apps.secret(of: claims.appKey)
        // Checked for an unknown app as well, so that the answer takes as long. The algorithm is the relay's own, whatever the header says.
        let isSigned = HMAC.isValid(
            text.signature, of: text.signed, key: Array((secret ?? apps.decoy).utf8), .sha256)
        guard secret != nil else { throw SignalingError(.tokenUnknownApp) }
        guard isSigned else { throw SignalingError(.tokenBadSignature) }
        try check(claims, now: now)
        return try verified(claims, text: text, wanted: session)
    }

    private static func claims(in payload: Data) throws(SignalingError) -> TokenClaims {
        do {
            return try JSONDecoder().decode(TokenClaims.self, from: payload)
        } catch let error as DecodingError {
            let field = Problem(error).field
            throw SignalingError(
                .tokenMalformed, field.map { "the token's \($0) is missing or of a wrong type" }, field: field)
        } catch {
            throw SignalingError(.tokenMalformed)
        }
    }

    private func check(_ claims: TokenClaims, now: Double) throws(SignalingError) {
        if let (claim, reason) = claims.objection {
            throw SignalingError(
                .tokenMalformed, "the token's \(claim.rawValue) \(reason)", field: claim.rawValue)
        }
        let leeway = Double(leeway)
        guard now < claims.expiresAt + leeway else {
            throw SignalingError(.tokenExpired, "the token expired \(Int(now - claims.expiresAt)) s ago")
        }
        for start in [claims.issuedAt, claims.notBefore] {
            guard let start, start > now + leeway else { continue }
            throw SignalingError(
                .tokenNotYetValid, "the token is valid in \(Int(start - now)) s, by this relay's clock")
        }
    }

    private func verified(
        _ claims: TokenClaims, text: TokenText, wanted: String?
    ) throws(SignalingError) -> VerifiedToken {
        let topic: SessionName
        do throws(Problem) {
            topic = try SessionName(claims.topic)
        } catch {
            throw SignalingError(
                .tokenMalformed, "the token's tpc is not a session name: \(error.detail)",
                field: TokenClaims.CodingKeys.topic.rawValue)
        }
        if let wanted, topic.rawValue != wanted {
            throw SignalingError(.tokenTopicMismatch, "the token is for another session than \"\(wanted)\"")
        }
        let role = claims.role ?? .standard(canHost: claims.canHost)
        return VerifiedToken(
            app: claims.appKey, session: topic.rawValue,
            identity: claims.identity.flatMap { $0.isEmpty ? nil : $0 }, data: claims.data,
            capabilities: role.capabilities(canHost: claims.canHost),
            expiresAt: Int64(claims.expiresAt * 1_000), fingerprint: text.fingerprint,
            tokenID: claims.tokenID.flatMap { $0.isEmpty ? nil : $0 },
            requiresEncryption: claims.requiresEncryption ?? false)
    }
}
