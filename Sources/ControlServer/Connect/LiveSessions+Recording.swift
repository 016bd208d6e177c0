import Conference
import MediaBase
package import Recording
import Signaling

/// Links between sessions and recordings (REC-1).
extension LiveSessions {
    /// Has a session tell its participants of a recording. Does not wait: the session reads the newest state in its turn, so that quick
    /// changes cannot be announced in the wrong order.
    @Sendable package func note(_ change: RecordingChange) {
        let status: RecordingStatus
        switch change {
        case .started(let begun):
            status = begun
            environment.context.recorded.set(session: status.session, stream: status.stream, isRecorded: true)
        case .finished(let ended):
            status = ended
            environment.context.recorded.set(session: status.session, stream: status.stream, isRecorded: false)
        case .suspended, .resumed, .damaged, .composed: return
        }
        guard let liveSession = liveSession(engineName: status.session) else { return }
        Task { await liveSession.turn { $0.reportRecording(of: StreamID(rawValue: status.stream)) } }
    }

    /// Returns whether a session has participants, who may publish again.
    @Sendable package func isLive(session: String) -> Bool { liveSession(engineName: session) != nil }

    /// Returns the stream and publisher for a recording's index.
    @Sendable package func recordingSource(session: String, stream: String) async -> RecordingSource? {
        await liveSession(engineName: session)?.recordingSource(of: StreamID(rawValue: stream))
    }
}
