import Cluster
import HTTPTypes
import Hummingbird

/// Notes the client for which another relay of the cluster sends a request, and that relay. Only the listener of links has it: on other
/// listeners anyone could send the header fields.
struct ProxiedMiddleware: RouterMiddleware {
    typealias Context = ControlContext

    private static let field = HTTPField.Name(ProxiedClient.field)!
    private static let relay = HTTPField.Name(RelayIdentity.field)!

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.proxied = request.headers[Self.field].flatMap(ProxiedClient.init) ?? .unknown
        context.edge = request.headers[Self.relay].flatMap(RelayIdentity.init(field:))
        return try await next(request, context)
    }
}
