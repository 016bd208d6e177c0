internal import Logging
internal import MediaEngine
internal import Recording
internal import ServiceLifecycle

/// Records every stream that is published, where that is wanted; and at the relay's end closes every file, whoever began it.
struct RecordingService: Service {
    let recorder: SessionRecorder
    let engine: MediaEngine
    let recordsEverything: Bool
    let logger: Logger

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
                guard recordsEverything else { return }
                for await event in engine.streamEvents {
                    switch event {
                    case .published(let session, _, let stream): await record(session, stream)
                    case .missed(let session): await recordWhatIsThere(session)
                    default: continue
                    }
                }
            }
        }
        await recorder.stopAll()
    }

    /// After events were missed.
    ///
    /// - Parameter session: nil: any.
    private func recordWhatIsThere(_ session: String?) async {
        var sessions: [String] = []
        if let session { sessions = [session] } else { sessions = await engine.sessions().map(\.name) }
        for session in sessions {
            for stream in (try? await engine.streams(session: session)) ?? [] {
                switch await recorder.status(session: session, stream: stream.name)?.phase {
                case .waiting, .recording: continue
                case .ended, .failed, nil: await record(session, stream.name)
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
