package import MediaBase
package import MediaEngine

/// Recording of one stream, on its own thread from `init` until the tap closes or `stop` is called.
package final class StreamRecorder: Sendable {
    private let tap: PacketTap
    private let state: RecorderState

    /// - Parameters:
    ///   - tap: packets of the stream; only this recorder may read it from now on.
    ///   - kinds: tracks of the stream.
    ///   - directory: the session's folder, which must exist.
    ///   - index: index of that folder.
    ///   - source: stream and publisher, for the index.
    ///   - notify: called from the recorder's thread when the recording is suspended or resumed, and for damage; must
    ///     not block.
    ///   - requestKeyFrame: called at most once a second while video needs a key frame.
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

    /// Writes the received packets, closes the file and returns the final status.
    @discardableResult
    package func stop() async -> RecordingStatus {
        state.stop()
        // Wakes the thread and stops the input.
        tap.close()
        await state.ended()
        return state.snapshot
    }

    /// Returns when the recording has ended.
    package func ended() async -> RecordingStatus {
        await state.ended()
        return state.snapshot
    }
}
