import HTTPTypes
import Hummingbird

/// Applies `PageGuard` to routes that need no token. A preflight passes: it changes nothing, and its answer names only allowed origins.
struct SameOriginMiddleware: RouterMiddleware {
    typealias Context = ControlContext

    let pages: PageGuard

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        if request.method != .options, let problem = pages.objection(to: request) { throw problem }
        return try await next(request, context)
    }
}

extension PageGuard {
    func objection(to request: Request) -> Problem? {
        objection(authority: request.head.authority, origin: request.headers[.origin])
    }
}
