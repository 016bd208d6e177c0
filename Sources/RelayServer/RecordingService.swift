internal import CLinuxNet
internal import Logging
internal import MediaEngine
internal import Recording
internal import ServiceLifecycle

/// Records every stream that is published, where that is wanted; and at the relay's end closes every file, whoever began it.
struct RecordingService: Service {
    let recorder: SessionRecorder
    let engine: MediaEngine
    let logger: Logger
    /// Of all streams, from the time on when it was made; nil where nothing is recorded unasked.
    private let events: AsyncStream<StreamEvent>?

    init(recorder: SessionRecorder, engine: MediaEngine, recordsEverything: Bool, logger: Logger) {
        self.recorder = recorder
        self.engine = engine
        self.logger = logger
        events = recordsEverything ? engine.observeStreams() : nil
    }

    /// Between two looks at what ended by itself.
    private static let look = Duration.seconds(1)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    while !Task.isCancelled {
                        try? await Task.sleep(for: Self.look)
                        await recorder.collectEnded()
                    }
                }
                guard let events else { return }
                var begun = BegunRecordings()
                for await event in events {
                    switch event {
                    case .published(let session, _, let stream):
                        begun.note(session, stream, at: millrace_realtime_ns())
                        await record(session, stream)
                    case .closed(let session, _, let stream): begun.forget(session, stream)
                    case .missed(let session): await recordWhatIsThere(session, &begun)
                    default: continue
                    }
                }
            }
        }
        await recorder.stopAll()
    }

    /// After events were missed: streams that were published unseen. What somebody has stopped since a stream was published stays stopped.
    ///
    /// - Parameter session: nil: any.
    private func recordWhatIsThere(_ session: String?, _ begun: inout BegunRecordings) async {
        var sessions: [String] = []
        if let session { sessions = [session] } else { sessions = await engine.sessions().map(\.name) }
        for session in sessions {
            for stream in (try? await engine.streams(session: session)) ?? [] {
                switch await recorder.status(session: session, stream: stream.name)?.phase {
                case .waiting, .recording: continue
                case .ended where begun.has(session, stream.name, since: stream.createdAt): continue
                case .ended, .failed, nil:
                    begun.note(session, stream.name, at: millrace_realtime_ns())
                    await record(session, stream.name)
                }
            }
        }
    }

    private func record(_ session: String, _ stream: String) async {
        let metadata: Logger.Metadata = ["session": "\(session)", "stream": "\(stream)"]
        do {
            try await recorder.start(session: session, stream: stream)
            logger.info("recording", metadata: metadata)
        } catch {
            logger.error("the stream is not recorded: \(error)", metadata: metadata)
        }
    }
}
