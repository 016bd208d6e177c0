import MediaEngine
import Recording
import Signaling

/// State of a session that its programme depends on.
struct ProgrammeSession {
    /// What the rules of the session say.
    struct Rules {
        var session: SessionID
        /// Streams of the main session.
        var streams: [StreamInfo]
        /// Whether the session requires encryption, or one of its streams is encrypted end to end.
        var isEncrypted: Bool
    }

    /// Nil for a session without rules, such as that of an embedding program.
    let session: SessionID?
    /// Streams that are heard in the main session, in order of creation, without encrypted ones.
    private(set) var listing = ProgrammeListing()
    let isEncrypted: Bool

    /// - Parameters:
    ///   - rules: nil for a session without rules.
    ///   - name: name of the session in the engine.
    /// - Throws: `EngineError.unknownSession` if there are no rules, and the engine does not know the session; other errors of the engine.
    init(_ rules: Rules?, session name: String, _ engine: any MediaPlane) async throws(EngineError) {
        session = rules?.session
        isEncrypted = rules?.isEncrypted ?? false
        for snapshot in try await Self.snapshots(of: name, isKnown: rules != nil, engine) {
            let info = rules?.streams.first { $0.id.rawValue == snapshot.name }
            // Without rules all streams are cameras.
            guard rules == nil || info != nil, info?.isEncrypted != true else { continue }
            if snapshot.isSpeaking { listing.speaker = snapshot.name }
            let isDropped = info?.isDropped ?? false
            let hasAudio = snapshot.audio.map { !$0.muted } ?? false
            let hasVideo = snapshot.video.map { !$0.muted } ?? false && info?.hasVideo ?? true
            listing.streams.append(
                ProgrammeStream(
                    name: snapshot.name, isScreen: info?.videoType == .screen, hasAudio: hasAudio && !isDropped,
                    codec: hasVideo && !isDropped ? snapshot.codec : nil))
        }
    }

    private static func snapshots(
        of name: String, isKnown: Bool, _ engine: any MediaPlane
    ) async throws(EngineError) -> [StreamSnapshot] {
        do throws(EngineError) {
            return try await engine.streams(session: name).sorted { ($0.createdAt, $0.name) < ($1.createdAt, $1.name) }
        } catch {
            // The engine has a session only while media is published or subscribed.
            guard case .unknownSession = error, isKnown else { throw error }
            return []
        }
    }
}
