import HTTPTypes
import Hummingbird
import MillraceTokens

/// `GET /v1/dev/token?session=&name=&identity=&role=`: issues a token of the built-in app to anyone. Refused without `--dev`.
struct DevelopmentTokenRoute {
    private static let lifetime: Int64 = 86_400

    let isDevelopment: Bool

    func add(to table: RouteTable) {
        table.add("dev/token", [.get: token])
    }

    @Sendable private func token(_ request: Request, _ context: ControlContext) async throws -> Response {
        guard isDevelopment else {
            throw Problem(.notPermitted, "only a relay started with --dev issues tokens to anyone")
        }
        let query = FormQuery(request.uri.query ?? "")
        guard let session = query["session"] else {
            throw Problem(.invalidField, "the query names no session", field: "session")
        }
        var grant = TokenGrant(session: session, lifetime: Self.lifetime)
        grant.identity = try Self.identity(query)
        try grant.set(role: query["role"] ?? "host")
        return try .json(
            TokenAnswer(
                minting: grant, app: AppDirectory.development, secret: AppDirectory.developmentSecret))
    }

    /// Returns the requested user id, or else the name, which is enough to identify the users of a development relay.
    private static func identity(_ query: FormQuery) throws(Problem) -> String? {
        let limit = TokenClaims.maximumIdentityCharacters
        if let identity = query["identity"], !identity.isEmpty {
            guard identity.count <= limit else {
                throw Problem(.invalidField, "a user id has at most \(limit) characters", field: "identity")
            }
            return identity
        }
        // A name can be longer than an identity may be.
        guard let name = query["name"], !name.isEmpty else { return nil }
        return String(name.prefix(limit))
    }
}
