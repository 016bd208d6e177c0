import HTTPTypes
import Hummingbird

/// `/whip`: publishing over WebRTC (RFC 9725). The path or `?stream=` names the stream.
struct WHIPRoutes {
    let exchange: WebRTCExchange
    let resource: WebRTCResource

    func add(to table: RouteTable) {
        for path in ["whip/:session", "whip/:session/:stream"] {
            table.add(
                path, [.post: publish, .get: { _, _ in Response(status: .noContent) }], options: exchange.options)
        }
        table.add(
            "whip/:session/:stream/:id",
            [.get: resource.get, .patch: resource.patch, .delete: resource.delete],
            options: { _, _ in Response(status: .ok, headers: [.acceptPatch: WebRTCResource.fragmentType]) })
    }

    @Sendable private func publish(_ request: Request, _ context: ControlContext) async throws -> Response {
        let session = try context.session
        var stream = context.parameters.get("stream") == nil ? nil : try context.stream
        if let name = request.uri.queryParameters["stream"] {
            let named = try StreamName(String(name))
            guard stream == nil || stream == named else {
                throw Problem(.invalidField, "path and query name different streams", field: "stream")
            }
            stream = named
        }
        return try await exchange.open(request, context, .publish, session: session, stream: stream)
    }
}
