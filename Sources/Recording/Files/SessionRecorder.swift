import Foundation
import MediaBase
package import MediaEngine

/// Starts and stops the recordings of an engine's streams: `<directory>/<session>/<stream>-<start>.webm` (`.mkv` for H.264) and one
/// `index.json` per session.
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

    private let engine: MediaEngine
    private let directory: String
    private let options: StreamRecording.Options
    private let source: @Sendable (_ session: String, _ stream: String) async -> RecordingSource?
    private let observer: @Sendable (RecordingChange) -> Void
    /// Yields when a recording starts: from then on, while `isRecording`, the owner calls `collectEnded` from time to time.
    package nonisolated let begins: AsyncStream<Void>
    private let begin: AsyncStream<Void>.Continuation
    private var running: [Key: StreamRecorder] = [:]
    /// Recordings that are being started. They cannot be started again while the engine is asked.
    private var starting: Set<Key> = []
    private var indexes: [String: RecordingIndex] = [:]
    private var ended: [RecordingStatus] = []
    private var failures: UInt64 = 0
    /// Sums over ended recordings.
    private var endedTotals = RecordingTotals()

    /// - Parameters:
    ///   - source: called once for each recording, before it starts.
    ///   - observer: called for every `RecordingChange`, from any thread; must not block.
    package init(
        engine: MediaEngine, directory: String, options: StreamRecording.Options = StreamRecording.Options(),
        source: @escaping @Sendable (_ session: String, _ stream: String) async -> RecordingSource? = { _, _ in nil },
        observer: @escaping @Sendable (RecordingChange) -> Void = { _ in }
    ) {
        (begins, begin) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.source = source
        self.engine = engine
        self.directory = directory
        self.options = options
        self.observer = observer
    }

    /// Starts to record a stream. The recording ends with the stream, or by `stop`.
    @discardableResult
    package func start(session: String, stream: String) async throws(RecordingError) -> RecordingStatus {
        collect()
        let key = Key(session: session, stream: stream)
        guard running[key] == nil, !starting.contains(key) else {
            throw .alreadyRecording(session: session, stream: stream)
        }
        starting.insert(key)
        begin.yield()
        defer { starting.remove(key) }
        let source = await source(session, stream) ?? RecordingSource()
        let (tap, kinds) = try await open(key, source.kinds)
        do throws(RecordingError) {
            if source.encryption != nil, let codec = tap.codec, codec != .vp8 {
                throw .encrypted(session: session, stream: stream, codec: codec)
            }
            let folder = directory + "/" + RecordingFileName.safe(session)
            let engine = engine
            let recorder = try StreamRecorder(
                tap: tap, session: session, stream: stream, kinds: kinds, directory: folder,
                index: try index(of: session, in: folder), source: source, options: options,
                notify: observer,
                requestKeyFrame: { Task { try? await engine.requestKeyFrame(session: session, stream: stream) } })
            running[key] = recorder
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

    /// Closes all files when the relay shuts down.
    package func stopAll() async {
        let all = running
        running = [:]
        for recorder in all.values { remember(await recorder.stop()) }
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

    /// Whether any recording runs or is being started.
    package var isRecording: Bool { !running.isEmpty || !starting.isEmpty }

    /// Collects recordings that ended with their stream.
    package func collectEnded() { collect() }

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
        endedTotals.add(status.statistics)
        observer(.finished(status))
        ended.append(status)
        if ended.count > Self.keptStatuses { ended.removeFirst(ended.count - Self.keptStatuses) }
    }
}
