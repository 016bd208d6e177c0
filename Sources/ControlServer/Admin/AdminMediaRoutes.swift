import HTTPTypes
import Hummingbird
import MediaEngine
import Recording

/// `/v1/admin/sessions/{session}/tracks`: the media engine's statistics of a session's streams, in any app.
struct AdminMediaRoutes {
    let engine: MediaEngine
    let recorder: SessionRecorder?
    /// The default app.
    let standard: String

    func add(to table: RouteTable) {
        table.add("sessions/:session/tracks", [.get: tracks])
    }

    @Sendable private func tracks(_ request: Request, _ context: ControlContext) async throws -> Response {
        let address = try request.address(context, standard: standard)
        return try .json(
            await StreamListAnswer(
                session: context.session, engineName: address.engineName(standard: standard), engine: engine,
                recorder: recorder))
    }
}
