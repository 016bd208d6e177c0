import CLinuxNet
import Logging
import MediaEngine
import NIOConcurrencyHelpers
import Recording
import ServiceLifecycle

/// Records every published stream, if configured, or those of sessions that are recorded as a whole, and closes all files when the relay
/// stops. Retries a recording that could not start because of the disk, as long as its stream is published.
struct RecordingService: Service {
    let recorder: SessionRecorder
    let engine: MediaEngine
    let recordsEverything: Bool
    let logger: Logger
    /// Events of all streams since `init`.
    private let events: AsyncStream<StreamEvent>
    /// Streams whose recording could not start.
    private let refused = NIOLockedValueBox<Set<RefusedStream>>([])
    /// Yields when a stream is added to `refused`.
    private let refusals: AsyncStream<Void>
    private let refusal: AsyncStream<Void>.Continuation

    private struct RefusedStream: Hashable, Sendable {
        var session: String
        var stream: String
    }

    init(recorder: SessionRecorder, engine: MediaEngine, recordsEverything: Bool, logger: Logger) {
        self.recorder = recorder
        self.engine = engine
        self.recordsEverything = recordsEverything
        self.logger = logger
        (refusals, refusal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        events = engine.observeStreams()
    }

    /// Interval of checks for recordings that have ended.
    private static let look = Duration.seconds(1)
    /// Interval of attempts to start refused recordings.
    private static let retryInterval = Duration.seconds(5)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await collectEnded() }
                group.addTask { await retryRefused() }
                group.addTask { await beginSessions() }
                var begun = BegunRecordings()
                for await event in events {
                    switch event {
                    case .published(let session, _, let stream):
                        guard await isRecorded(session) else { continue }
                        begun.note(session, stream, at: millrace_realtime_ns())
                        await record(session, stream)
                    case .mirrored(let session, let stream): await recordMirror(session, stream)
                    case .closed(let session, _, let stream):
                        begun.forget(session, stream)
                        let key = RefusedStream(session: session, stream: stream)
                        refused.withLockedValue { _ = $0.remove(key) }
                    case .missed(let session): await recordWhatIsThere(session, &begun)
                    default: continue
                    }
                }
            }
        }
        await recorder.stopAll()
    }

    /// Starts recordings of streams that were published while events were missed. A recording that was stopped since
    /// its stream was published is not started again.
    ///
    /// - Parameter session: session to check; nil for all.
    private func recordWhatIsThere(_ session: String?, _ begun: inout BegunRecordings) async {
        var sessions: [String] = []
        if let session { sessions = [session] } else { sessions = await engine.sessions().map(\.name) }
        for session in sessions where await isRecorded(session) {
            for stream in (try? await engine.streams(session: session)) ?? [] {
                switch await recorder.status(session: session, stream: stream.name)?.phase {
                case .waiting, .recording, .suspended: continue
                case .ended where begun.has(session, stream.name, since: stream.createdAt): continue
                case .ended, .failed, nil:
                    begun.note(session, stream.name, at: millrace_realtime_ns())
                    await record(session, stream.name)
                }
            }
        }
    }

    /// Starts the recording of a stream of another relay in a session that this relay records as a whole. With `record`, the stream's own
    /// relay records it.
    private func recordMirror(_ session: String, _ stream: String) async {
        guard !recordsEverything, await recorder.records(session: session) else { return }
        // A stream is mirrored again when its pipe is replaced.
        let phase = await recorder.status(session: session, stream: stream)?.phase
        if phase?.isRunning != true { await record(session, stream) }
    }

    private func isRecorded(_ session: String) async -> Bool {
        if recordsEverything { return true }
        return await recorder.records(session: session)
    }

    /// Starts the recordings of the streams that a session has when its recording is requested.
    private func beginSessions() async {
        for await session in recorder.begunSessions {
            for stream in (try? await engine.streams(session: session)) ?? [] {
                let phase = await recorder.status(session: session, stream: stream.name)?.phase
                if phase?.isRunning != true { await record(session, stream.name) }
            }
        }
    }

    /// Checks for recordings that have ended, and for sessions that are over, as long as there are any.
    private func collectEnded() async {
        for await _ in recorder.begins {
            while !Task.isCancelled, await recorder.hasWork {
                try? await Task.sleep(for: Self.look)
                await recorder.collectEnded()
            }
        }
    }

    /// Retries refused recordings, as long as there are any.
    private func retryRefused() async {
        for await _ in refusals {
            while !Task.isCancelled, refused.withLockedValue({ !$0.isEmpty }) {
                try? await Task.sleep(for: Self.retryInterval)
                guard !Task.isCancelled else { return }
                for key in refused.withLockedValue({ $0 }) { await record(key.session, key.stream, isRetry: true) }
            }
        }
    }

    /// - Parameter isRetry: whether this is a retry, whose failure is not logged again.
    private func record(_ session: String, _ stream: String, isRetry: Bool = false) async {
        let key = RefusedStream(session: session, stream: stream)
        let metadata: Logger.Metadata = ["session": "\(session)", "stream": "\(stream)"]
        do {
            try await recorder.start(session: session, stream: stream, asPartOfSession: !recordsEverything)
            refused.withLockedValue { _ = $0.remove(key) }
            logger.info("recording", metadata: metadata)
        } catch .sessionNotRecording {
            refused.withLockedValue { _ = $0.remove(key) }
            logger.info("not recorded, because the recording of the session was stopped first", metadata: metadata)
        } catch {
            let isTransient = error.isTransient
            refused.withLockedValue { all in
                all.remove(key)
                if isTransient { all.insert(key) }
            }
            if isTransient { refusal.yield() }
            if isRetry { return }
            logger.error("the stream is not recorded: \(error)", metadata: metadata)
        }
    }
}
