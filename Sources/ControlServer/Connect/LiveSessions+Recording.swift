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
            environment.recorded.set(session: status.session, stream: status.stream, isRecorded: true)
        case .finished(let ended):
            status = ended
            environment.recorded.set(session: status.session, stream: status.stream, isRecorded: false)
        case .suspended, .resumed, .damaged, .composed: return
        }
        guard let liveSession = liveSession(engineName: status.session) else { return }
        Task { await liveSession.reportRecording(of: StreamID(rawValue: status.stream)) }
    }

    /// Returns whether a session has participants, who may publish again.
    @Sendable package func isLive(session: String) -> Bool { liveSession(engineName: session) != nil }

    /// Returns the stream and publisher for a recording's index.
    @Sendable package func recordingSource(session: String, stream: String) async -> RecordingSource? {
        await liveSession(engineName: session)?.recordingSource(of: StreamID(rawValue: stream))
    }
}

extension LiveSession {
    func reportRecording(of stream: StreamID) {
        let isRecorded = environment.recorded.contains(session: engineName, stream: stream.rawValue)
        handle(.recorded(stream, isRecorded))
    }

    /// Returns the source of a stream. Waits for publishing in progress, so that the kinds of its tracks are known.
    func recordingSource(of stream: StreamID) async -> RecordingSource? {
        if let owner = conference.origin(of: stream)?.publisher.id {
            let request = whenDone { _ in }
            media.awaitTracks(of: stream, by: owner, request)
            await finish(request)
        }
        guard let origin = conference.origin(of: stream) else { return nil }
        return RecordingSource(
            participant: RecordingSource.Participant(
                id: origin.publisher.id.rawValue, name: origin.publisher.name,
                identity: origin.publisher.identity),
            streamName: origin.name, videoType: origin.videoType.rawValue, kinds: media.kinds[stream] ?? [],
            muted: Set(origin.muted.map { MediaKind($0) }),
            size: origin.width > 0 && origin.height > 0
                ? FrameSize(width: origin.width, height: origin.height) : nil,
            encryption: origin.isEncrypted
                ? RecordingEncryption(
                    session: id.rawValue, sessionName: key.name, publisher: origin.publisher.id.rawValue) : nil)
    }
}
