import CLinuxNet
import Foundation
package import MediaBase
package import MediaEngine

/// Starts and stops the recordings of an engine's streams: `<directory>/<session>/<stream>-<start>.webm` (`.mkv` for H.264), one
/// `index.json` per session, and when a session is over one file of all its streams, `session.<start>.mkv`.
///
/// ```swift
/// let recorder = SessionRecorder(engine: engine, directory: "/var/lib/millrace")
/// try await recorder.start(session: "lobby", stream: "cam1")
/// let status = try await recorder.stop(session: "lobby", stream: "cam1")
/// ```
package actor SessionRecorder {
    private struct Key: Hashable {
        var session: String
        var stream: String
    }

    /// Number of ended recordings whose status is kept.
    private static let keptStatuses = 1_000
    /// Maximum sessions that are recorded as a whole.
    package static let maximumSessions = 10_000

    private let engine: MediaEngine
    private let directory: String
    private let options: StreamRecording.Options
    private let source: @Sendable (_ session: String, _ stream: String) async -> RecordingSource?
    private let observer: @Sendable (RecordingChange) -> Void
    /// Nil if sessions are not composed.
    private let compositionQueue: CompositionQueue?
    private let now: @Sendable () -> MediaTime
    private let isLive: @Sendable (_ session: String) -> Bool
    /// Yields when a recording starts: from then on, while `hasWork`, the owner calls `collectEnded` from time to time.
    package nonisolated let begins: AsyncStream<Void>
    private let begin: AsyncStream<Void>.Continuation
    /// Yields each session that is recorded as a whole from then on.
    package nonisolated let begunSessions: AsyncStream<String>
    private let beginSession: AsyncStream<String>.Continuation
    private var running: [Key: StreamRecorder] = [:]
    /// Recordings that are being started. They cannot be started again while the engine is asked.
    private var starting: Set<Key> = []
    private var meetings = RecordedMeetings()
    /// Sessions of which every stream is recorded, also those that are published later.
    private var recordedSessions: Set<String> = []
    private var indexes: [String: RecordingIndex] = [:]
    private var ended: [RecordingStatus] = []
    private var failures: UInt64 = 0
    /// Sums over ended recordings.
    private var endedTotals = RecordingTotals()

    /// - Parameters:
    ///   - composes: whether the streams of a session are composed to one file when the session is over.
    ///   - now: the monotonic clock.
    ///   - isLive: returns whether a session has participants, who may publish again.
    ///   - source: called once for each recording, before it starts.
    ///   - observer: called for every `RecordingChange`, from any thread; must not block.
    package init(
        engine: MediaEngine, directory: String, options: StreamRecording.Options = StreamRecording.Options(),
        composes: Bool = false,
        now: @escaping @Sendable () -> MediaTime = { .nanoseconds(millrace_monotonic_ns()) },
        isLive: @escaping @Sendable (_ session: String) -> Bool = { _ in false },
        source: @escaping @Sendable (_ session: String, _ stream: String) async -> RecordingSource? = { _, _ in nil },
        observer: @escaping @Sendable (RecordingChange) -> Void = { _ in }
    ) {
        (begins, begin) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (begunSessions, beginSession) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.maximumSessions))
        self.source = source
        self.engine = engine
        self.directory = directory
        self.options = options
        self.observer = observer
        self.now = now
        self.isLive = isLive
        compositionQueue = composes ? CompositionQueue { observer(.composed($0)) } : nil
    }

    /// Starts to record a stream. The recording ends with the stream, or by `stop`.
    ///
    /// - Parameter asPartOfSession: throws `.sessionNotRecording` if the session is not recorded as a whole any more. This is no failure:
    ///   the session was stopped first.
    @discardableResult
    package func start(
        session: String, stream: String, asPartOfSession: Bool = false
    ) async throws(RecordingError) -> RecordingStatus {
        collect()
        let key = Key(session: session, stream: stream)
        guard running[key] == nil, !starting.contains(key) else {
            throw .alreadyRecording(session: session, stream: stream)
        }
        starting.insert(key)
        begin.yield()
        meetings.begin(session, wallClock: millrace_realtime_ns())
        var isStarted = false
        defer {
            starting.remove(key)
            if !isStarted { meetings.end(session, now: now()) }
        }
        let source = await source(session, stream) ?? RecordingSource()
        let (tap, kinds) = try await open(key, source.kinds)
        guard !asPartOfSession || recordedSessions.contains(session) else {
            tap.close()
            throw .sessionNotRecording(session: session)
        }
        do throws(RecordingError) {
            if source.encryption != nil, let codec = tap.codec, codec != .vp8 {
                throw .encrypted(session: session, stream: stream, codec: codec)
            }
            let folder = folder(of: session)
            let engine = engine
            let recorder = try StreamRecorder(
                tap: tap, session: session, stream: stream, kinds: kinds, directory: folder,
                index: try index(of: session, in: folder), source: source, options: options,
                notify: observer,
                requestKeyFrame: { Task { try? await engine.requestKeyFrame(session: session, stream: stream) } })
            running[key] = recorder
            isStarted = true
            meetings.noteFile(of: session)
            observer(.started(recorder.status))
            return recorder.status
        } catch {
            tap.close()
            failures += 1
            throw error
        }
    }

    /// Closes the file and returns its final status.
    @discardableResult
    package func stop(session: String, stream: String) async throws(RecordingError) -> RecordingStatus {
        guard let recorder = running.removeValue(forKey: Key(session: session, stream: stream)) else {
            throw .notRecording(session: session, stream: stream)
        }
        let status = await recorder.stop()
        remember(status)
        return status
    }

    /// Records every stream of a session from now on, until `stopSession` or the end of the session. The owner starts them: those that
    /// exist, when `begunSessions` yields the session, and later ones as they are published.
    ///
    /// - Throws: `EngineError.unknownSession` as `RecordingError.engine`, or `.tooManySessions`.
    package func startSession(_ session: String) async throws(RecordingError) {
        if !isLive(session) {
            do throws(EngineError) { _ = try await engine.streams(session: session) } catch { throw .engine(error) }
        }
        guard recordedSessions.count < Self.maximumSessions || recordedSessions.contains(session) else {
            throw .tooManySessions(limit: Self.maximumSessions)
        }
        recordedSessions.insert(session)
        begin.yield()
        beginSession.yield(session)
    }

    /// Stops all recordings of a session, and composes them.
    ///
    /// - Throws: `.sessionNotRecording`.
    package func stopSession(_ session: String) async throws(RecordingError) {
        let wasRecorded = recordedSessions.remove(session) != nil
        let keys = running.keys.filter { $0.session == session }
        guard wasRecorded || !keys.isEmpty else { throw .sessionNotRecording(session: session) }
        meetings.stop(session, now: now())
        for key in keys {
            guard let recorder = running.removeValue(forKey: key) else { continue }
            remember(await recorder.stop())
        }
        await collectEnded()
    }

    /// Whether a session is recorded as a whole, with every stream.
    package func records(session: String) -> Bool { recordedSessions.contains(session) }

    /// Returns the files that were or will be composed of a session, oldest first; of all sessions for nil.
    package func compositions(session: String? = nil) -> [Composition] {
        let all = compositionQueue?.compositions ?? []
        return session.map { name in all.filter { $0.session == name } } ?? all
    }

    package var compositionCounts: CompositionCounts { compositionQueue?.counts ?? CompositionCounts() }

    /// Closes all files when the relay shuts down. Sessions that are not composed yet are reported.
    package func stopAll() async {
        let all = running
        running = [:]
        for recorder in all.values { remember(await recorder.stop()) }
        guard let compositionQueue else { return }
        await compositionQueue.stop()
        for meeting in meetings.takeAll() { compositionQueue.add(composition(of: meeting)) }
    }

    /// Returns the status of recent ended recordings, newest last, followed by running ones.
    package func statuses(session: String? = nil) -> [RecordingStatus] {
        collect()
        let all = ended + running.values.map(\.status)
        return session.map { name in all.filter { $0.session == name } } ?? all
    }

    package func status(session: String, stream: String) -> RecordingStatus? {
        collect()
        return running[Key(session: session, stream: stream)]?.status
            ?? ended.last { $0.session == session && $0.stream == stream }
    }

    /// Whether a recording runs or is being started, or a recorded session is not over or not composed yet.
    package var hasWork: Bool {
        !running.isEmpty || !starting.isEmpty || !meetings.isEmpty || !recordedSessions.isEmpty
    }

    /// Collects recordings that ended with their stream, and composes sessions that are over.
    package func collectEnded() async {
        collect()
        guard meetings.isAnyDue(now: now()) || !recordedSessions.isEmpty else { return }
        let published = Set(await engine.sessions().map(\.name))
        for meeting in meetings.takeDue(now: now(), inProgress: { published.contains($0) || isLive($0) }) {
            compositionQueue?.add(composition(of: meeting))
        }
        // A later session of the same name is not recorded unless that is requested again.
        recordedSessions = recordedSessions.filter { published.contains($0) || isLive($0) }
    }

    private func composition(of meeting: RecordedMeetings.Meeting) -> Composition {
        Composition(meeting, folder: folder(of: meeting.session))
    }

    private func folder(of session: String) -> String { directory + "/" + RecordingFileName.safe(session) }

    /// Number of recordings that could not start or that failed, since the relay started.
    package var failureCount: UInt64 { failures }

    /// Sums over all recordings since the relay started.
    package var totals: RecordingTotals {
        running.values.reduce(into: endedTotals) { $0.add($1.status.statistics) }
    }

    /// - Parameter known: kinds that the stream has, even if none of their packets have arrived.
    private func open(_ key: Key, _ known: Set<MediaKind>) async throws(RecordingError) -> (PacketTap, Set<MediaKind>) {
        do throws(EngineError) {
            let tap = try await engine.openTap(session: key.session, stream: key.stream)
            let snapshot = try? await engine.streams(session: key.session).first { $0.name == key.stream }
            var kinds = known
            if snapshot?.audio != nil { kinds.insert(.audio) }
            if snapshot?.video != nil { kinds.insert(.video) }
            return (tap, kinds.isEmpty ? Set(MediaKind.allCases) : kinds)
        } catch {
            throw .engine(error)
        }
    }

    private func index(of session: String, in folder: String) throws(RecordingError) -> RecordingIndex {
        if let known = indexes[session] { return known }
        let new = try RecordingIndex(session: session, directory: folder)
        indexes[session] = new
        return new
    }

    /// Collects recordings that ended by themselves, and releases indexes without a running recording.
    private func collect() {
        for (key, recorder) in running where recorder.isEnded {
            running[key] = nil
            remember(recorder.status)
        }
        let sessions = Set(running.keys.map(\.session)).union(starting.map(\.session))
        for session in indexes.keys where !sessions.contains(session) { indexes[session] = nil }
    }

    private func remember(_ status: RecordingStatus) {
        if status.phase == .failed { failures += 1 }
        meetings.end(status.session, now: now())
        endedTotals.add(status.statistics)
        observer(.finished(status))
        ended.append(status)
        if ended.count > Self.keptStatuses { ended.removeFirst(ended.count - Self.keptStatuses) }
    }
}
