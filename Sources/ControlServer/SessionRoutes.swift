internal import HTTPTypes
internal import Hummingbird
internal import MediaBase
internal import MediaEngine
internal import Recording

/// What is there: sessions and streams; and muting a track at the relay.
struct SessionRoutes {
    let engine: MediaEngine
    let rooms: Rooms
    let recorder: SessionRecorder?
    let configuration: ControlConfiguration

    func add(to table: RouteTable) {
        table.add("sessions", [.get: sessions])
        table.add("sessions/:session/streams", [.get: streams])
        table.add("sessions/:session/streams/:stream/mute", [.put: mute])
    }

    @Sendable private func sessions(_ request: Request, _ context: ControlContext) async throws -> Response {
        let sessions = await engine.sessions().map(SessionAnswer.init).sorted { $0.name < $1.name }
        return try .json(SessionListAnswer(sessions: sessions))
    }

    @Sendable private func streams(_ request: Request, _ context: ControlContext) async throws -> Response {
        let session = try context.session
        return try .json(
            await StreamListAnswer(
                session: session, engineName: session.rawValue, engine: engine, recorder: recorder))
    }

    @Sendable private func mute(_ request: Request, _ context: ControlContext) async throws -> Response {
        let session = try context.session
        let stream = try context.stream
        let body = try await request.json(MuteBody.self, limit: configuration.bodyBytes)
        guard let kind = MediaKind(rawValue: body.kind) else {
            throw Problem(.invalidField, "\"\(body.kind)\" is not one of audio, video", field: "kind")
        }
        if try await !rooms.setMuted(body.muted, stream, kind, in: session) {
            // One that the rules do not know.
            try await engine.setMuted(session: session.rawValue, stream: stream.rawValue, kind: kind, muted: body.muted)
        }
        return Response(status: .noContent)
    }
}
