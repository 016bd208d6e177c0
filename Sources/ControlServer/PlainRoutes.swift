import HTTPTypes
import Hummingbird
import Logging
import MediaBase
import MediaEngine
import SessionMedia

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
            isPlain: true,
            elsewhere: { stream in
                var named = wanted
                named.stream = stream
                return Self.elsewhere(named)
            }
        ) { [engine] (stream, _) async throws(EngineError) in
            var named = wanted
            named.stream = stream
            return Self.opened(try await engine.openPlain(named))
        }
    }

    private static func elsewhere(_ wanted: PlainTransportRequest) -> RemoteOpening<PlainTransport> {
        RemoteOpening(stream: wanted.stream, call: { _ in .openPlain(wanted) }) { answer in
            guard case .openedPlain(var transport) = answer, transport.direction == wanted.direction,
                transport.stream == wanted.stream, transport.suite == wanted.suite
            else { return nil }
            // Relays may have different names of the session.
            transport.session = wanted.session
            return opened(transport)
        }
    }

    private static func opened(_ transport: PlainTransport) -> OpenedTransport<PlainTransport> {
        guard transport.direction == .publish else { return OpenedTransport(answer: transport, id: transport.id) }
        var kinds: Set<MediaKind> = []
        if transport.audio != nil { kinds.insert(.audio) }
        if transport.video != nil { kinds.insert(.video) }
        return OpenedTransport(
            answer: transport, id: transport.id, codec: transport.video.flatMap { VideoCodec(rawValue: $0.codec) },
            kinds: kinds)
    }

    private func view(_ wanted: PlainTransportRequest, _ visitor: Visitor) async throws -> PlainTransport {
        var wanted = wanted
        if visitor.relay != nil, wanted.stream == nil {
            // Another relay must open the same stream as this one would.
            let streams = try? await engine.streams(session: wanted.session)
            wanted.stream = streams?.newest(in: wanted.video?.codec.map { [$0] })?.name
        }
        // Only this relay has all streams.
        let elsewhere = wanted.stream == PlainTransportRequest.allStreams ? nil : Self.elsewhere(wanted)
        return try await liveSessions.view(visitor, isPlain: true, elsewhere: elsewhere) {
            [engine, wanted] () async throws(EngineError) in
            Self.opened(try await engine.openPlain(wanted))
        } close: {
            try await engine.closePlain($0, session: wanted.session)
        }
    }

    /// Requests a key frame for subscribers that cannot send PLI.
    @Sendable private func requestKeyFrame(_ request: Request, _ context: ControlContext) async throws -> Response {
        let session = try context.session
        let id = context.parameters.get("id") ?? ""
        let transport = TransportID(rawValue: id)
        try await send(.requestKeyFrame(PeerID(transport)), about: transport, in: session.rawValue) {
            try await engine.requestKeyFrame(transport, session: session.rawValue)
        }
        return Response(status: .noContent)
    }

    @Sendable private func close(_ request: Request, _ context: ControlContext) async throws -> Response {
        let session = try context.session
        let id = context.parameters.get("id") ?? ""
        let transport = TransportID(rawValue: id)
        try await send(.order(.closePeer(PeerID(transport), isPlain: true)), about: transport, in: session.rawValue) {
            try await engine.closePlain(transport, session: session.rawValue)
        }
        await liveSessions.visitorLeft(transport, engineName: session.rawValue)
        logger.info("plain transport closed", metadata: ["session": "\(session)", "transport": "\(id)"])
        return Response(status: .noContent)
    }

    /// Sends a call about a transport to the relay that has it.
    ///
    /// - Parameter here: makes the call to the engine of this relay.
    private func send(
        _ call: MediaCall, about transport: TransportID, in session: String, here: () async throws -> Void
    ) async throws {
        guard let result = await liveSessions.askElsewhere(call, of: transport, engineName: session) else {
            return try await here()
        }
        _ = try result.get()
    }
}
