internal import HTTPTypes
internal import Hummingbird

/// `/whip`: publishing over WebRTC (RFC 9725).
struct WHIPRoutes {
    let exchange: WebRTCExchange
    let resource: WebRTCResource

    func add(to table: RouteTable) {
        table.add(
            "whip/:session", [.post: publish, .get: { _, _ in Response(status: .noContent) }],
            options: exchange.options)
        table.add(
            "whip/:session/:stream/:id",
            [.get: resource.get, .patch: resource.patch, .delete: resource.delete],
            options: { _, _ in Response(status: .ok, headers: [.acceptPatch: WebRTCResource.fragmentType]) })
    }

    @Sendable private func publish(_ request: Request, _ context: ControlContext) async throws -> Response {
        let session = try context.session
        var stream: StreamName?
        if let name = request.uri.queryParameters["stream"] { stream = try StreamName(String(name)) }
        return try await exchange.open(request, context, .publish, session: session, stream: stream)
    }
}
