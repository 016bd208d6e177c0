import MediaBase

/// Participants and screen shares of a session, each with its recorded files in order of start.
struct MixPlan {
    /// A stream of a participant: camera, microphone or screen. Files after a reconnection belong to the same stream.
    struct Source {
        var publisher: String
        var name: String
        var isScreen: Bool
        var hasVideo: Bool
        /// Indices of its files.
        var files: [Int]
        /// Source whose tile stands for its audio.
        var tile: Int
        fileprivate var last: ComposeFile
        fileprivate var end: MediaTime
    }

    private(set) var files: [ComposeFile]
    private(set) var sources: [Source] = []
    /// Source of each file.
    private(set) var sourceOfFile: [Int] = []

    init(_ files: [ComposeFile]) {
        self.files = files
        var known: [String: [Int]] = [:]
        for index in files.indices {
            let file = files[index]
            let publisher = SessionPlan.publisher(of: file.entry)
            let key = "\(publisher)/\(file.entry.videoType ?? "")/\(file.entry.streamName ?? "")"
            let isVideo = file.sources.contains { if case .video = $0.media { true } else { false } }
            let sourceIndex: Int
            if let free = known[key]?.first(where: { file.continues(sources[$0].last, until: sources[$0].end) }) {
                sourceIndex = free
                sources[free].last = file
                sources[free].end = max(sources[free].end, file.end)
                sources[free].hasVideo = sources[free].hasVideo || isVideo
                sources[free].files.append(index)
            } else {
                sourceIndex = sources.count
                let isScreen = file.entry.videoType == "screen"
                let name = SessionPlan.name(of: file.entry) + (isScreen ? " (screen)" : "")
                sources.append(
                    Source(
                        publisher: publisher, name: name, isScreen: isScreen, hasVideo: isVideo, files: [index],
                        tile: sourceIndex, last: file, end: file.end))
                known[key, default: []].append(sourceIndex)
            }
            // Frames are told apart by their kind.
            self.files[index].tracks = file.sources.map { _ in 0 }
            sourceOfFile.append(sourceIndex)
        }
        chooseTiles()
    }

    /// Audio without video belongs to the tile of the publisher's camera, if there is one.
    private mutating func chooseTiles() {
        var cameras: [String: Int] = [:]
        for (index, source) in sources.enumerated() where !source.isScreen {
            let isBetter = cameras[source.publisher].map { !sources[$0].hasVideo && source.hasVideo } ?? true
            if isBetter { cameras[source.publisher] = index }
        }
        for index in sources.indices where !sources[index].hasVideo {
            sources[index].tile = cameras[sources[index].publisher] ?? index
        }
    }
}
