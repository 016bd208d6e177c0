import HTTPTypes
import Hummingbird
import Recording

/// Recording of a stream: start, stop and status.
struct RecordRoutes {
    /// Nil if the relay has no directory for recordings.
    let recorder: SessionRecorder?
    /// The default app.
    let standard: String
    let configuration: ControlConfiguration
    let bodies: OpenBodies

    func add(to table: RouteTable) {
        table.add("sessions/:session/streams/:stream/record", [.get: status, .post: change])
    }

    @Sendable private func status(_ request: Request, _ context: ControlContext) async throws -> Response {
        let session = try request.address(context, standard: standard).engineName(standard: standard)
        let stream = try context.stream
        guard let status = await recorder?.status(session: session, stream: stream.rawValue) else {
            throw Problem(RecordingError.notRecording(session: session, stream: stream.rawValue))
        }
        return try .json(RecordAnswer(status, standard: standard))
    }

    @Sendable private func change(_ request: Request, _ context: ControlContext) async throws -> Response {
        let session = try request.address(context, standard: standard).engineName(standard: standard)
        let stream = try context.stream
        let body = try await request.json(RecordBody.self, limit: configuration.bodyBytes)
        guard ["start", "stop"].contains(body.action) else {
            throw Problem(.invalidField, "\"\(body.action)\" is not one of start, stop", field: "action")
        }
        guard let recorder else { throw Problem(.recordingDisabled, "set recording.directory or record") }
        do {
            if body.action == "stop" {
                return try .json(
                    RecordAnswer(
                        try await recorder.stop(session: session, stream: stream.rawValue), standard: standard))
            }
            guard !bodies.isDraining else { throw Problem(.draining, "the relay is shutting down", retryAfter: 5) }
            return try .json(
                RecordAnswer(
                    try await recorder.start(session: session, stream: stream.rawValue), standard: standard),
                status: .created)
        } catch let error as RecordingError {
            throw Problem(error)
        }
    }
}
