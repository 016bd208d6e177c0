import NIOConcurrencyHelpers

/// Streams that are being recorded, by the engine's names.
final class RecordedStreams: Sendable {
    private struct Key: Hashable {
        var session: String
        var stream: String
    }

    private let streams = NIOLockedValueBox<Set<Key>>([])

    func set(session: String, stream: String, isRecorded: Bool) {
        let key = Key(session: session, stream: stream)
        streams.withLockedValue { streams in
            if isRecorded { streams.insert(key) } else { streams.remove(key) }
        }
    }

    func contains(session: String, stream: String) -> Bool {
        streams.withLockedValue { $0.contains(Key(session: session, stream: stream)) }
    }
}
