import Conference
import MediaBase
import Recording
import SessionMedia
import Signaling

/// State of the session for recordings and for its programme.
extension SessionCore {
    func reportRecording(of stream: StreamID) {
        let isRecorded = context.recorded.contains(session: engineName, stream: stream.rawValue)
        handle(.recorded(stream, isRecorded))
    }

    /// Returns the source of a stream. Waits for publishing in progress, so that the kinds of its tracks are known.
    func recordingSource(of stream: StreamID, then: @escaping (RecordingSource?) -> Void) {
        guard let owner = conference.origin(of: stream)?.publisher.id else { return then(nil) }
        let request = whenDone { [self] _ in then(recordingSource(of: stream)) }
        media.awaitTracks(of: stream, by: owner, request)
        continueMedia()
    }

    private func recordingSource(of stream: StreamID) -> RecordingSource? {
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

    var programmeRules: ProgrammeSession.Rules {
        ProgrammeSession.Rules(
            session: id, streams: streams.filter { media.location(ofStream: $0.id) == .mainSession },
            isEncrypted: conference.isEncrypted)
    }

    /// Nil after the end of the session.
    var rulesOfRunningProgramme: ProgrammeSession.Rules? {
        conference.isEnded || isForgotten ? nil : programmeRules
    }
}
