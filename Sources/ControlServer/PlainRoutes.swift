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

    /// A publisher is a participant of its session, so `Conference` decides before the engine opens a transport.
    private func publish(_ wanted: PlainTransportRequest, _ visitor: Visitor) async throws -> PlainTransport {
        let ticket = try await liveSessions.admitPublisher(
            visitor, stream: try wanted.stream.map { try StreamName($0) }, kinds: Set(MediaKind.allCases),
            isPlain: true)
        do {
            var named = wanted
            named.stream = ticket.stream
            let transport = try await engine.openPlain(named)
            var kinds: Set<MediaKind> = []
            if transport.audio != nil { kinds.insert(.audio) }
            if transport.video != nil { kinds.insert(.video) }
            try await ticket.liveSession.opened(
                ticket, transport.id, codec: transport.video.flatMap { VideoCodec(rawValue: $0.codec) }, kinds: kinds)
            return transport
        } catch {
            await ticket.liveSession.refused(ticket)
            throw error
        }
    }

    private func view(_ wanted: PlainTransportRequest, _ visitor: Visitor) async throws -> PlainTransport {
        var ticket = try await liveSessions.admitViewer(visitor)
        let transport: PlainTransport
        do {
            transport = try await engine.openPlain(wanted)
        } catch {
            await ticket?.leave()
            throw error
        }
        do {
            // The session may have begun while the engine was awaited.
            if ticket == nil { ticket = try await liveSessions.admitViewer(visitor) }
        } catch {
            try? await engine.closePlain(transport.id, session: wanted.session)
            throw error
        }
        if let ticket { try await ticket.liveSession.viewing(ticket, transport.id, isPlain: true) }
        return transport
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
        await liveSessions.publisherClosed(TransportID(rawValue: id), engineName: session.rawValue)
        await liveSessions.viewerClosed(TransportID(rawValue: id), engineName: session.rawValue)
        logger.info("plain transport closed", metadata: ["session": "\(session)", "transport": "\(id)"])
        return Response(status: .noContent)
    }
}
