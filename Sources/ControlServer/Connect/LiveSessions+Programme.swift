import Conference
import MediaEngine
import Recording
import Signaling

/// Streams of a session's programme.
extension LiveSessions {
    /// State of a session that its programme depends on.
    struct ProgrammeState {
        /// Nil for a session without rules, such as that of an embedding program.
        var session: SessionID?
        var listing: ProgrammeListing
        /// Whether the session requires encryption, or one of its streams is encrypted end to end.
        var isEncrypted: Bool
    }

    /// Returns the streams that are heard in the main session, in order of creation. Encrypted streams are left out.
    ///
    /// - Throws: `EngineError.unknownSession` if neither the rules nor the media engine know the session; other errors of the engine.
    func programme(of key: SessionKey) async throws(EngineError) -> ProgrammeState {
        let rules = await liveSession(key)?.programmeRules
        var state = ProgrammeState(
            session: rules?.session, listing: ProgrammeListing(), isEncrypted: rules?.isEncrypted ?? false)
        for snapshot in try await snapshots(of: key, isKnown: rules != nil) {
            let info = rules?.streams.first { $0.id.rawValue == snapshot.name }
            // Without rules all streams are cameras.
            guard rules == nil || info != nil, info?.isEncrypted != true else { continue }
            if snapshot.isSpeaking { state.listing.speaker = snapshot.name }
            let isDropped = info?.isDropped ?? false
            let hasAudio = snapshot.audio.map { !$0.muted } ?? false
            let hasVideo = snapshot.video.map { !$0.muted } ?? false && info?.hasVideo ?? true
            state.listing.streams.append(
                ProgrammeStream(
                    name: snapshot.name, isScreen: info?.videoType == .screen, hasAudio: hasAudio && !isDropped,
                    codec: hasVideo && !isDropped ? snapshot.codec : nil))
        }
        return state
    }

    private func snapshots(of key: SessionKey, isKnown: Bool) async throws(EngineError) -> [StreamSnapshot] {
        do throws(EngineError) {
            let all = try await environment.engine.streams(session: engineName(of: key))
            return all.sorted { ($0.createdAt, $0.name) < ($1.createdAt, $1.name) }
        } catch {
            // The engine has a session only while media is published or subscribed.
            guard case .unknownSession = error, isKnown else { throw error }
            return []
        }
    }
}

extension LiveSession {
    /// Rules that a programme needs: the streams of the main session.
    struct ProgrammeRules {
        var session: SessionID
        var streams: [StreamInfo]
        var isEncrypted: Bool
    }

    var programmeRules: ProgrammeRules {
        ProgrammeRules(
            session: id, streams: streams.filter { media.location(ofStream: $0.id) == .mainSession },
            isEncrypted: conference.requiresEncryption || streams.contains(where: \.isEncrypted))
    }
}
