internal import HTTPTypes
internal import Hummingbird

/// Adds the CORS header fields (Fetch standard, section 3.2) to every answer, errors included: a page that cannot read an error cannot
/// act on it.
struct CrossOriginMiddleware: RouterMiddleware {
    typealias Context = ControlContext

    let origin: String

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        Self.addFields(to: &response.headers, origin: origin)
        if request.method == .options, !origin.isEmpty {
            response.headers[.accessControlAllowMethods] = response.headers[.allow]
            response.headers[.accessControlAllowHeaders] = "Authorization, Content-Type, If-Match"
            response.headers[.accessControlMaxAge] = "86400"
        }
        return response
    }

    static func addFields(to fields: inout HTTPFields, origin: String) {
        guard !origin.isEmpty else { return }
        fields[.accessControlAllowOrigin] = origin
        fields[.accessControlExposeHeaders] = "Location, ETag, Link, Retry-After, Accept-Patch, Accept-Post"
        if origin != "*" { fields[.vary] = "Origin" }
    }
}
