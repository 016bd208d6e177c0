import HTTPTypes
import Hummingbird

/// Allows requests that carry the bearer token, unless their address has guessed too often. A browser's preflight carries no token (Fetch
/// standard) and passes.
struct BearerTokenMiddleware: RouterMiddleware {
    typealias Context = ControlContext

    let token: BearerToken
    let guesses: TokenGuard

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        if request.method != .options {
            let address = ClientAddress.group(of: context.channel.remoteAddress)
            switch guesses.judge(request.headers[.authorization], by: token, from: address) {
            case .right: break
            case .wrong(let problem), .refused(let problem): throw problem
            }
        }
        return try await next(request, context)
    }
}
