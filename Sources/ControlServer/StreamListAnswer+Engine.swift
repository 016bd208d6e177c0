import MediaEngine
import Recording

extension StreamListAnswer {
    /// What the media engine knows of a session's streams, and whether each is recorded.
    ///
    /// - Parameters:
    ///   - session: as people name it.
    ///   - engineName: as the engine does.
    init(
        session: SessionName, engineName: String, engine: MediaEngine, recorder: SessionRecorder?
    ) async throws(EngineError) {
        let streams = try await engine.streams(session: engineName).sorted { $0.createdAt < $1.createdAt }
        let recorded = Set(
            (await recorder?.statuses(session: engineName) ?? [])
                .filter { $0.phase == .waiting || $0.phase == .recording }.map(\.stream))
        self.init(
            session: session.rawValue,
            streams: streams.map { StreamAnswer($0, recording: recorded.contains($0.name)) })
    }
}
