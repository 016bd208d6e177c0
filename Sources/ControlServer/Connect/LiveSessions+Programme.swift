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
            await liveSession(key)?.programmeRules, session: engineName(of: key), environment.engine)
    }
}

extension LiveSession {
    var programmeRules: ProgrammeSession.Rules {
        ProgrammeSession.Rules(
            session: id, streams: streams.filter { media.location(ofStream: $0.id) == .mainSession },
            isEncrypted: conference.isEncrypted)
    }

    /// Opens the programme for a push.
    func programmeSource() async throws -> PushSource {
        let name = engineName
        let state = try await ProgrammeSession(programmeRules, session: name, environment.engine)
        return try environment.pushes.programme(of: name, state) { [weak self] in
            guard let self, let rules = await self.rulesOfRunningProgramme else { return nil }
            return try? await ProgrammeSession(rules, session: name, self.environment.engine).listing
        }
    }

    /// Nil after the end of the session.
    private var rulesOfRunningProgramme: ProgrammeSession.Rules? {
        conference.isEnded || isForgotten ? nil : programmeRules
    }
}
