import Conference
import HTTPTypes
import Hummingbird
import MediaBase
import MediaEngine
import Recording
import Signaling

/// Lists of sessions and streams, and muting of tracks at the relay.
struct SessionRoutes {
    let engine: MediaEngine
    let liveSessions: LiveSessions
    let recorder: SessionRecorder?
    let configuration: ControlConfiguration

    func add(to table: RouteTable) {
        table.add("sessions", [.get: sessions])
        table.add("sessions/:session/streams", [.get: streams])
        table.add("sessions/:session/streams/:stream/mute", [.put: mute])
    }

    private var standard: String { liveSessions.configuration.standardApp }

    @Sendable private func sessions(_ request: Request, _ context: ControlContext) async throws -> Response {
        let sessions = await engine.sessions().map { SessionAnswer($0, standard: standard) }
        return try .json(SessionListAnswer(sessions: sessions.sorted { ($0.app, $0.name) < ($1.app, $1.name) }))
    }

    @Sendable private func streams(_ request: Request, _ context: ControlContext) async throws -> Response {
        let address = try request.address(context, standard: standard)
        return try .json(
            await StreamListAnswer(
                session: context.session, engineName: liveSessions.engineName(of: address), engine: engine,
                recorder: recorder))
    }

    /// Mutes through the live session if there is one, so that its participants are told.
    @Sendable private func mute(_ request: Request, _ context: ControlContext) async throws -> Response {
        let address = try request.address(context, standard: standard)
        let stream = try context.stream
        let body = try await request.json(MuteBody.self, limit: configuration.bodyBytes)
        guard let kind = MediaKind(rawValue: body.kind) else {
            throw Problem(.invalidField, "\"\(body.kind)\" is not one of audio, video", field: "kind")
        }
        if liveSessions.liveSession(address) != nil {
            try await liveSessions.order(
                .setMuted(StreamID(rawValue: stream.rawValue), TrackKind(kind), body.muted), in: address)
        } else {
            // The session exists only in the media engine.
            try await engine.setMuted(
                session: liveSessions.engineName(of: address), stream: stream.rawValue, kind: kind, muted: body.muted)
        }
        return Response(status: .noContent)
    }
}
