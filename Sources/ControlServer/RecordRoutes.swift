import Conference
import HTTPTypes
import Hummingbird
import Recording

/// Recordings of a stream and of a whole session: start, stop and status.
struct RecordRoutes {
    /// Nil if the relay has no directory for recordings.
    let recorder: SessionRecorder?
    /// The default app.
    let standard: String
    let configuration: ControlConfiguration
    let bodies: OpenBodies

    func add(to table: RouteTable) {
        table.add("sessions/:session/streams/:stream/record", [.get: status, .post: change])
        table.add("sessions/:session/record", [.get: sessionStatus, .post: changeSession])
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
        let isStart = try await isStart(request)
        let recorder = try enabled
        do {
            if !isStart {
                return try .json(
                    RecordAnswer(
                        try await recorder.stop(session: session, stream: stream.rawValue), standard: standard))
            }
            try refuseDraining()
            return try .json(
                RecordAnswer(
                    try await recorder.start(session: session, stream: stream.rawValue), standard: standard),
                status: .created)
        } catch let error as RecordingError {
            throw Problem(error)
        }
    }

    @Sendable private func sessionStatus(_ request: Request, _ context: ControlContext) async throws -> Response {
        let session = try request.address(context, standard: standard).engineName(standard: standard)
        return try .json(try await answer(session))
    }

    @Sendable private func changeSession(_ request: Request, _ context: ControlContext) async throws -> Response {
        let session = try request.address(context, standard: standard).engineName(standard: standard)
        let isStart = try await isStart(request)
        let recorder = try enabled
        do {
            if isStart {
                try refuseDraining()
                try await recorder.startSession(session)
            } else {
                try await recorder.stopSession(session)
            }
        } catch let error as RecordingError {
            throw Problem(error)
        }
        return try .json(try await answer(session), status: isStart ? .created : .ok)
    }

    private func answer(_ session: String) async throws -> SessionRecordAnswer {
        let recorder = try enabled
        let statuses = await recorder.statuses(session: session)
        return SessionRecordAnswer(
            session: SessionKey(engineName: session, standard: standard)?.name ?? session,
            isRecorded: await recorder.records(session: session),
            streams: statuses.map { RecordAnswer($0, standard: standard) },
            composed: await recorder.compositions(session: session).map(SessionRecordAnswer.Composed.init))
    }

    /// Returns whether the body of a request says `start`; otherwise it says `stop`.
    private func isStart(_ request: Request) async throws -> Bool {
        let body = try await request.json(RecordBody.self, limit: configuration.bodyBytes)
        guard ["start", "stop"].contains(body.action) else {
            throw Problem(.invalidField, "\"\(body.action)\" is not one of start, stop", field: "action")
        }
        return body.action == "start"
    }

    private var enabled: SessionRecorder {
        get throws {
            guard let recorder else { throw Problem(.recordingDisabled, "set recording.directory or record") }
            return recorder
        }
    }

    private func refuseDraining() throws {
        guard !bodies.isDraining else { throw Problem(.draining, "the relay is shutting down", retryAfter: 5) }
    }
}
