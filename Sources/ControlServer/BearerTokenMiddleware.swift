internal import HTTPTypes
internal import Hummingbird

/// Lets a request pass that carries a bearer token. A browser's preflight carries none (Fetch standard) and passes.
struct BearerTokenMiddleware: RouterMiddleware {
    typealias Context = ControlContext

    let token: BearerToken

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        if request.method != .options, let problem = token.objection(to: request.headers[.authorization]) {
            throw problem
        }
        return try await next(request, context)
    }
}
