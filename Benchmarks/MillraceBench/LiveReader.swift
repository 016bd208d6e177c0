import MediaEngine
import Recording
import Synchronization

/// Reader of a stream's `live.webm`, whose bytes are made as for an HTTP response, counted and discarded, in a task of this process.
struct LiveReader {
    /// Counts that the task and the live stream's thread write.
    private final class Counts: Sendable {
        let bytes = Atomic<Int>(0)
        let changes = Atomic<Int>(0)
        let isEnded = Atomic<Bool>(false)
    }

    private let stream: LiveStream
    private let counts = Counts()

    /// Opens the live stream, and reads it until `close`.
    init(_ engine: MediaEngine, session: String, stream name: String) async throws {
        let counts = counts
        let stream = try await LiveStream.open(
            engine: engine, session: session, stream: name,
            notify: { _ in counts.changes.wrappingAdd(1, ordering: .relaxed) })
        self.stream = stream
        Task {
            // A live stream that fails ends, which the owner sees.
            do {
                for try await piece in stream { counts.bytes.wrappingAdd(piece.count, ordering: .relaxed) }
            } catch {}
            counts.isEnded.store(true, ordering: .relaxed)
        }
    }

    /// Bytes that were read so far.
    var bytes: Int { counts.bytes.load(ordering: .relaxed) }
    /// Whether the live stream has ended, or the reader fell behind and misses frames.
    var isFaulty: Bool {
        counts.isEnded.load(ordering: .relaxed) || counts.changes.load(ordering: .relaxed) > 0
    }

    func close() { stream.close() }
}
