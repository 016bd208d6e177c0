import HTTPTypes
import Hummingbird

/// Adds paths to a router so that every method is answered: by its handler, `OPTIONS` with the allowed methods, and all others with 405.
struct RouteTable {
    typealias Handler = @Sendable (Request, ControlContext) async throws -> Response

    private static let methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete]

    let group: RouterGroup<ControlContext>
    /// Path of the group, such as `/v1`.
    var prefix = ""
    var access = RouteCatalogue.Access.open
    /// Receives every route that is added.
    let catalogue: RouteCatalogue

    /// - Parameter options: answers `OPTIONS`; the `Allow` field is added to its response.
    func add(
        _ path: String, _ handlers: [HTTPRequest.Method: Handler],
        options: @escaping @Sendable (Request, ControlContext) -> Response = { _, _ in Response(status: .noContent) }
    ) {
        for method in handlers.keys {
            catalogue.add(.init(method: method.rawValue, path: prefix + "/" + path, access: access))
        }
        var handlers = handlers
        if let get = handlers[.get], handlers[.head] == nil {
            handlers[.head] = { request, context in try await get(request, context).createHeadResponse() }
        }
        let allow = (Self.methods.filter { handlers[$0] != nil } + [.options]).map(\.rawValue).joined(separator: ", ")
        let path = RouterPath(path)
        for method in Self.methods {
            if let handler = handlers[method] {
                group.on(path, method: method, use: handler)
            } else {
                group.on(path, method: method) { request, _ -> Response in
                    var problem = Problem(.methodNotAllowed, "\(request.method.rawValue) is not one of \(allow)")
                    problem.allow = allow
                    throw problem
                }
            }
        }
        group.on(path, method: .options) { request, context in
            var response = options(request, context)
            response.headers[.allow] = allow
            return response
        }
    }
}
