import Foundation
import MillraceTokens
import Signaling

/// Body of `POST /v1/tokens`.
struct TokenBody: Decodable, Sendable {
    var session: String
    var identity: String?
    /// `host`, `participant`, `subscriber`, `publisher` or `moderator`.
    var role: String?
    var data: String?
    /// Lifetime in seconds.
    var seconds: Int64?

    var grant: TokenGrant {
        get throws(Problem) {
            var grant = TokenGrant(session: session, identity: identity, data: data)
            if let role { try grant.set(role: role) }
            if let seconds { grant.lifetime = seconds }
            return grant
        }
    }
}

/// Answer to `POST /v1/tokens` and `GET /v1/dev/token`.
struct TokenAnswer: Encodable, Sendable {
    let token: String
    let app: String
    /// Name of the session in lower case.
    let session: String
    /// Milliseconds since 1970.
    let expiresAt: Int64

    init(minting grant: TokenGrant, app: String, secret: String) throws(Problem) {
        let now = Int64(Date().timeIntervalSince1970)
        do throws(SignalingError) {
            token = try TokenMinter(app: app, secret: secret).mint(grant, now: now)
        } catch {
            throw Problem(error)
        }
        self.app = app
        session = grant.session.lowercased()
        expiresAt = (now + grant.lifetime) * 1_000
    }
}
