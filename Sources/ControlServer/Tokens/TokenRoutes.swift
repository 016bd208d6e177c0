import Foundation
import HTTPTypes
import Hummingbird

/// `POST /v1/tokens`: mints a session token for a backend that authenticates with its app's key and secret (TOK-4).
struct TokenRoutes {
    let apps: AppDirectory
    let configuration: ControlConfiguration

    func add(to table: RouteTable) {
        table.add("tokens", [.post: mint])
    }

    @Sendable private func mint(_ request: Request, _ context: ControlContext) async throws -> Response {
        let (app, secret) = try Self.credentials(request)
        guard apps.isSecret(secret, of: app) else {
            throw Problem(.unauthorized, "the app key or the secret is wrong", scheme: .basic)
        }
        let body = try await request.json(TokenBody.self, limit: configuration.bodyBytes)
        return try .json(TokenAnswer(minting: body.grant, app: app, secret: secret), status: .created)
    }

    /// Returns the credentials of HTTP Basic (RFC 7617 section 2): the app's key as user name, its secret as password.
    private static func credentials(_ request: Request) throws(Problem) -> (app: String, secret: String) {
        guard let field = request.headers[.authorization] else {
            throw Problem(.unauthorized, "the request has no Authorization header field", scheme: .basic)
        }
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "basic", let data = Data(base64Encoded: String(parts[1])),
            let text = String(data: data, encoding: .utf8), let colon = text.firstIndex(of: ":")
        else {
            throw Problem(.unauthorized, "the Authorization header field is not Basic key:secret", scheme: .basic)
        }
        return (String(text[..<colon]), String(text[text.index(after: colon)...]))
    }
}
