import HTTPTypes
import Hummingbird

/// `/whep`: subscribing over WebRTC (draft-ietf-wish-whep). The path of a resource has one component more than that of a stream, so neither
/// can be taken for the other.
struct WHEPRoutes {
    /// Relation of the `Link` to the resource that chooses layers.
    static let layerExtension = "urn:ietf:params:whep:ext:core:layer"

    let exchange: WebRTCExchange
    let resource: WebRTCResource

    func add(to table: RouteTable) {
        for path in ["whep/:session", "whep/:session/:stream"] {
            table.add(
                path,
                [
                    .post: view,
                    // Players recognize a WHEP endpoint by the type; HEAD has the fields of GET (RFC 9110 section 9.3.2).
                    .get: { _, _ in
                        Response(status: .noContent, headers: [.contentType: WebRTCExchange.mediaType])
                    },
                ], options: exchange.options)
        }
        table.add(
            "whep/:session/:stream/:id",
            [.get: resource.get, .patch: resource.patch, .delete: resource.delete],
            options: { _, _ in Response(status: .ok, headers: [.acceptPatch: WebRTCResource.fragmentType]) })
        table.add("whep/:session/:stream/:id/layer", [.post: chooseLayer])
    }

    @Sendable private func view(_ request: Request, _ context: ControlContext) async throws -> Response {
        let session = try context.session
        let stream = context.parameters.get("stream") == nil ? nil : try context.stream
        var wait = Duration.zero
        if let text = request.uri.queryParameters["wait"] {
            guard let seconds = Int(text), (0...WebRTCExchange.longestWait).contains(seconds) else {
                throw Problem(
                    .invalidField, "\"\(text)\" is not a whole number from 0 to \(WebRTCExchange.longestWait) seconds",
                    field: "wait")
            }
            wait = .seconds(seconds)
        }
        return try await exchange.open(request, context, .subscribe, session: session, stream: stream, wait: wait)
    }

    @Sendable private func chooseLayer(_ request: Request, _ context: ControlContext) async throws -> Response {
        let target = try await resource.target(context)
        let body = try await request.json(LayerBody.self, limit: exchange.configuration.bodyBytes)
        try await exchange.plane.setLayer(target.id, session: target.session, try body.choice)
        return Response(status: .noContent)
    }
}
