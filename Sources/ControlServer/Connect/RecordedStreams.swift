import NIOConcurrencyHelpers

/// Streams that are being recorded, by the engine's names.
final class RecordedStreams: Sendable {
    /// Streams of each session that has any.
    private let streams = NIOLockedValueBox<[String: Set<String>]>([:])

    func set(session: String, stream: String, isRecorded: Bool) {
        streams.withLockedValue { streams in
            if isRecorded {
                streams[session, default: []].insert(stream)
            } else {
                streams[session]?.remove(stream)
                if streams[session]?.isEmpty == true { streams[session] = nil }
            }
        }
    }

    func contains(session: String, stream: String) -> Bool {
        streams.withLockedValue { $0[session]?.contains(stream) ?? false }
    }

    /// Returns whether any stream of a session is being recorded.
    func isRecorded(session: String) -> Bool { streams.withLockedValue { $0[session] != nil } }
}
