import HTTPTypes
import Hummingbird

/// Adds the CORS header fields (Fetch standard, section 3.2) to every answer to an allowed origin, errors included: a page that cannot read
/// an error cannot act on it.
struct CrossOriginMiddleware: RouterMiddleware {
    typealias Context = ControlContext

    let origins: AllowedOrigins

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        let isAllowed = origins.addFields(to: &response.headers, origin: request.headers[.origin])
        if request.method == .options, isAllowed {
            response.headers[.accessControlAllowMethods] = response.headers[.allow]
            response.headers[.accessControlAllowHeaders] = "Authorization, Content-Type, If-Match"
            response.headers[.accessControlMaxAge] = "86400"
        }
        return response
    }
}
