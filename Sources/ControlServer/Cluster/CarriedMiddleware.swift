import Hummingbird
import HTTPTypes

/// Notes the client for which another relay of the cluster sends a request. Only the listener of links has it: on other listeners anyone could
/// send the header field.
struct CarriedMiddleware: RouterMiddleware {
    typealias Context = ControlContext

    private static let field = HTTPField.Name(CarriedClient.field)!

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.carried = request.headers[Self.field].flatMap(CarriedClient.init)
        return try await next(request, context)
    }
}
