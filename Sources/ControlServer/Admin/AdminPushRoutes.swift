import Conference
import Hummingbird
import Logging
import Signaling

/// `/v1/admin/sessions/{session}/live`: pushes streams of a session, and its programme, to other servers by WHIP (LIV-1).
struct AdminPushRoutes {
    let sessions: any SessionAdministration
    /// The default app.
    let standard: String
    let configuration: ControlConfiguration
    let bodies: OpenBodies
    let logger: Logger

    func add(to table: RouteTable) {
        table.add("sessions/:session/live", [.get: list, .post: start])
        table.add("sessions/:session/live/:live", [.delete: stop])
    }

    @Sendable private func list(_ request: Request, _ context: ControlContext) async throws -> Response {
        try .json(PushListAnswer(live: try await sessions.pushes(of: request.address(context, standard: standard))))
    }

    @Sendable private func start(_ request: Request, _ context: ControlContext) async throws -> Response {
        let address = try request.address(context, standard: standard)
        let body = try await request.json(StartPushBody.self, limit: configuration.bodyBytes)
        guard !bodies.isDraining else { throw Problem(.draining, "the relay is shutting down", retryAfter: 5) }
        let id = try await sessions.startPush(
            StartPushRequest(to: body.to, token: body.token, stream: body.stream.map { StreamID(rawValue: $0) }),
            allowsHTTP: body.allowHTTP ?? false, in: address)
        // The URL may contain a stream key.
        note("live stream requested", address, ["live": "\(id)", "stream": "\(body.stream ?? "programme")"])
        let location =
            "/v1/admin/sessions/\(StreamName.percentEncoded(address.name))/live/\(id)?app=\(address.app)"
        return try .json(
            StartPushRequest.Answer(id: id), status: .created, fields: [.location: location])
    }

    @Sendable private func stop(_ request: Request, _ context: ControlContext) async throws -> Response {
        let address = try request.address(context, standard: standard)
        let id = PushID(rawValue: context.parameters.get("live") ?? "")
        try await sessions.stopPush(id, in: address)
        note("live stream ended", address, ["live": "\(id)"])
        return Response(status: .noContent)
    }

    private func note(_ message: Logger.Message, _ address: SessionKey, _ more: Logger.Metadata) {
        var metadata: Logger.Metadata = ["app": "\(address.app)", "session": "\(address.name)", "by": "admin"]
        metadata.merge(more) { $1 }
        logger.notice(message, metadata: metadata)
    }
}
