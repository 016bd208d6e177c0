import HTTPTypes
import Hummingbird
import Logging
import MediaBase
import MediaEngine

/// `/v1/sessions/{session}/plain`: SRTP with keys in the answer, for programs without signalling.
struct PlainRoutes {
    let engine: MediaEngine
    let liveSessions: LiveSessions
    let configuration: ControlConfiguration
    let adminToken: StaticToken
    let bodies: OpenBodies
    let logger: Logger

    func add(to table: RouteTable) {
        table.add("sessions/:session/plain", [.post: open])
        table.add("sessions/:session/plain/:id", [.delete: close])
        table.add("sessions/:session/plain/:id/keyframe", [.post: requestKeyFrame])
    }

    @Sendable private func open(_ request: Request, _ context: ControlContext) async throws -> Response {
        let session = try context.session
        let body = try await request.json(PlainTransportBody.self, limit: configuration.bodyBytes)
        guard !bodies.isDraining else { throw Problem(.draining, "the relay is shutting down", retryAfter: 5) }
        let wanted = try body.request(session: session, peer: context.peerAddress)
        // A client with the admin token is an operator.
        let visitor = context.visitor(
            to: try liveSessions.standardKey(session), isTrusted: adminToken.current != nil,
            password: body.password)
        let transport =
            wanted.direction == .publish ? try await publish(wanted, visitor) : try await view(wanted, visitor)
        logger.info(
            "plain transport opened",
            metadata: [
                "session": "\(transport.session)", "stream": "\(transport.stream)", "transport": "\(transport.id)",
                "direction": "\(transport.direction.rawValue)",
            ])
        let location = "/v1/sessions/\(session.percentEncoded)/plain/\(transport.id.rawValue)"
        return try .json(PlainTransportAnswer(transport), status: .created, fields: [.location: location])
    }

    private func publish(_ wanted: PlainTransportRequest, _ visitor: Visitor) async throws -> PlainTransport {
        try await liveSessions.publish(
            visitor, stream: try wanted.stream.map { try StreamName($0) }, kinds: Set(MediaKind.allCases),
            isPlain: true
        ) { [engine] (stream) async throws(EngineError) in
            var named = wanted
            named.stream = stream
            let transport = try await engine.openPlain(named)
            var kinds: Set<MediaKind> = []
            if transport.audio != nil { kinds.insert(.audio) }
            if transport.video != nil { kinds.insert(.video) }
            return OpenedTransport(
                answer: transport, id: transport.id, codec: transport.video.flatMap { VideoCodec(rawValue: $0.codec) },
                kinds: kinds)
        }
    }

    private func view(_ wanted: PlainTransportRequest, _ visitor: Visitor) async throws -> PlainTransport {
        try await liveSessions.view(visitor, isPlain: true) { [engine] () async throws(EngineError) in
            let transport = try await engine.openPlain(wanted)
            return OpenedTransport(answer: transport, id: transport.id)
        } close: {
            try await engine.closePlain($0, session: wanted.session)
        }
    }

    /// Requests a key frame for subscribers that cannot send PLI.
    @Sendable private func requestKeyFrame(_ request: Request, _ context: ControlContext) async throws -> Response {
        let session = try context.session
        let id = context.parameters.get("id") ?? ""
        try await engine.requestKeyFrame(TransportID(rawValue: id), session: session.rawValue)
        return Response(status: .noContent)
    }

    @Sendable private func close(_ request: Request, _ context: ControlContext) async throws -> Response {
        let session = try context.session
        let id = context.parameters.get("id") ?? ""
        try await engine.closePlain(TransportID(rawValue: id), session: session.rawValue)
        await liveSessions.visitorLeft(TransportID(rawValue: id), engineName: session.rawValue)
        logger.info("plain transport closed", metadata: ["session": "\(session)", "transport": "\(id)"])
        return Response(status: .noContent)
    }
}
