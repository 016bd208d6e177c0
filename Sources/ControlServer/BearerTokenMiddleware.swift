internal import HTTPTypes
internal import Hummingbird

/// Lets a request pass that carries the admin token as its bearer token (RFC 6750 section 2.1). A browser's preflight carries none
/// (Fetch standard) and passes.
struct BearerTokenMiddleware: RouterMiddleware {
    typealias Context = ControlContext

    private let token: [UInt8]

    init(token: String) {
        self.token = Array(token.utf8)
    }

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        if request.method != .options {
            guard let header = request.headers[.authorization] else {
                throw Problem(.unauthorized, "the request has no Authorization header field")
            }
            guard let given = Self.bearer(header), isToken(given) else {
                throw Problem(.unauthorized, "the token is not the right one")
            }
        }
        return try await next(request, context)
    }

    private static func bearer(_ header: String) -> [UInt8]? {
        let parts = header.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return Array(parts[1].utf8)
    }

    /// Takes the same time wherever the first difference is.
    private func isToken(_ given: [UInt8]) -> Bool {
        var difference: UInt8 = given.count == token.count ? 0 : 1
        for (i, byte) in given.enumerated() { difference |= byte ^ token[i % token.count] }
        return difference == 0
    }
}
