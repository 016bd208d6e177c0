import HTTPTypes
import Hummingbird

/// Allows requests that carry the bearer token, unless their address has guessed too often; if none is configured, refuses foreign pages.
/// A browser's preflight carries no token (Fetch standard) and passes.
struct BearerTokenMiddleware: RouterMiddleware {
    typealias Context = ControlContext

    let token: StaticToken
    let guesses: TokenGuard
    /// Guard of requests if no token is configured.
    let pages: PageGuard

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard request.method != .options else { return try await next(request, context) }
        if let token = token.current {
            let address = context.addressGroup
            switch guesses.judge(request.headers[.authorization], by: token, from: address) {
            case .right: break
            case .wrong(let problem), .refused(let problem): throw problem
            }
        } else if let problem = pages.objection(to: request) {
            throw problem
        }
        return try await next(request, context)
    }
}
