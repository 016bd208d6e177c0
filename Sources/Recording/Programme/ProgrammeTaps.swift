import MediaBase

/// Taps that a programme needs: the audio of all its streams, and the video of those that it shows. Sans-IO.
struct ProgrammeTaps: Sendable {
    struct Key: Hashable, Sendable {
        var stream: String
        var kind: MediaKind
    }

    /// Time between two tries to open a tap.
    private static let retryInterval: MediaTime = .seconds(1)

    private let maximumStreams: Int
    private var failedAt: [Key: MediaTime] = [:]

    init(maximumStreams: Int) { self.maximumStreams = maximumStreams }

    /// Returns the taps to open, in order of the streams, and those to close.
    /// - Parameters:
    ///   - video: streams whose video is needed.
    ///   - open: taps that are open.
    mutating func plan(
        _ listing: ProgrammeListing, video: [String], open: Set<Key>, now: MediaTime
    ) -> (open: [Key], close: Set<Key>) {
        var needed: [Key] = []
        for stream in listing.streams.prefix(maximumStreams) {
            if video.contains(stream.name), stream.codec != nil {
                needed.append(Key(stream: stream.name, kind: .video))
            }
            if stream.hasAudio { needed.append(Key(stream: stream.name, kind: .audio)) }
        }
        let all = Set(needed)
        failedAt = failedAt.filter { all.contains($0.key) && now - $0.value < Self.retryInterval }
        return (needed.filter { !open.contains($0) && failedAt[$0] == nil }, open.subtracting(all))
    }

    /// Notes that the engine refused a tap.
    mutating func fail(_ key: Key, now: MediaTime) { failedAt[key] = now }
}
