package import MediaBase
package import MediaEngine

/// The recording of one stream, running on a thread of its own from `init` until the tap closes, or `stop` is called.
package final class StreamRecorder: Sendable {
    private let tap: PacketTap
    private let state: RecorderState

    /// - Parameters:
    ///   - tap: read by this recorder alone from now on.
    ///   - kinds: the tracks that the stream has.
    ///   - directory: the session's folder; it exists.
    ///   - index: of that folder.
    ///   - source: the stream and its publisher, for the index.
    ///   - notify: called from the recorder's thread when the recording is suspended or resumed, and for damage; must not block.
    ///   - requestKeyFrame: called at most once a second while pictures cannot go on.
    package init(
        tap: PacketTap, session: String, stream: String, kinds: Set<MediaKind>, directory: String,
        index: RecordingIndex, source: RecordingSource = RecordingSource(),
        options: StreamRecording.Options = StreamRecording.Options(),
        notify: @escaping @Sendable (RecordingChange) -> Void = { _ in },
        requestKeyFrame: @escaping @Sendable () -> Void
    ) throws(RecordingError) {
        self.tap = tap
        state = RecorderState(RecordingStatus(session: session, stream: stream))
        let thread = RecorderThread(
            tap: tap, directory: directory, index: index, kinds: kinds, source: source, options: options, state: state,
            notify: notify, requestKeyFrame: requestKeyFrame)
        let code = RecorderThread.start(thread)
        guard code == 0 else { throw .thread(code: code) }
    }

    package var status: RecordingStatus { state.snapshot }
    package var isEnded: Bool { state.isEnded }

    /// Writes what has come, closes the file and returns the last word.
    @discardableResult
    package func stop() async -> RecordingStatus {
        state.stop()
        // Wakes the thread; nothing more comes in.
        tap.close()
        await state.ended()
        return state.snapshot
    }

    /// Returns when the recording has ended by itself or was stopped.
    package func ended() async -> RecordingStatus {
        await state.ended()
        return state.snapshot
    }
}
