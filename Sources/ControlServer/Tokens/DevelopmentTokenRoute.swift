internal import HTTPTypes
internal import Hummingbird

/// `GET /v1/dev/token?session=&name=&identity=&role=`: a token of the built-in app for the asking. Refused but with `--dev`.
struct DevelopmentTokenRoute {
    private static let lifetime: Int64 = 86_400

    let isDevelopment: Bool

    func add(to table: RouteTable) {
        table.add("dev/token", [.get: token])
    }

    @Sendable private func token(_ request: Request, _ context: ControlContext) async throws -> Response {
        guard isDevelopment else {
            throw Problem(.notPermitted, "only a relay that was started with --dev gives tokens away")
        }
        guard let session = request.uri.queryParameters["session"] else {
            throw Problem(.invalidField, "the query names no session", field: "session")
        }
        var grant = TokenGrant(session: String(session), lifetime: Self.lifetime)
        grant.identity = try Self.identity(request)
        try grant.set(role: request.uri.queryParameters["role"].map { String($0) } ?? "host")
        return try await .json(
            TokenAnswer(
                minting: grant, app: AppDirectory.development, secret: AppDirectory.developmentSecret))
    }

    /// The user id that is asked for; without one the name, as nobody else uses this relay.
    private static func identity(_ request: Request) throws(Problem) -> String? {
        let limit = TokenClaims.maximumIdentityCharacters
        if let identity = request.uri.queryParameters["identity"], !identity.isEmpty {
            guard identity.count <= limit else {
                throw Problem(.invalidField, "a user id has at most \(limit) characters", field: "identity")
            }
            return String(identity)
        }
        // What people call themselves can be longer than an identity may be.
        guard let name = request.uri.queryParameters["name"], !name.isEmpty else { return nil }
        return String(name.prefix(limit))
    }
}
