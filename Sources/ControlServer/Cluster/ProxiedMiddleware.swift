import Hummingbird
import HTTPTypes

/// Notes the client for which another relay of the cluster sends a request. Only the listener of links has it: on other listeners anyone could
/// send the header field.
struct ProxiedMiddleware: RouterMiddleware {
    typealias Context = ControlContext

    private static let field = HTTPField.Name(ProxiedClient.field)!

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.proxied = request.headers[Self.field].flatMap(ProxiedClient.init) ?? .unknown
        return try await next(request, context)
    }
}
