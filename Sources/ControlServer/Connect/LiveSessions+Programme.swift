import Conference
import MediaEngine
import Signaling

/// Streams of a session's programme.
extension LiveSessions {
    /// Returns the state of a session for its programme, also of one without rules.
    ///
    /// - Throws: `EngineError.unknownSession` if neither the rules nor the media engine know the session; other errors of the engine.
    func programme(of key: SessionKey) async throws(EngineError) -> ProgrammeSession {
        try await ProgrammeSession(
            await liveSession(key)?.read { $0.programmeRules }, session: engineName(of: key), environment.engine)
    }
}
