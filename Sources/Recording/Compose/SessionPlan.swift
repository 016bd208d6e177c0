import Containers
import MediaBase

/// Tracks of a composed session: which files each one has, and their headers.
struct SessionPlan {
    struct Track {
        var header: MatroskaTrack
        var codecName: String
        var participant: RecordingSource.Participant?
        var files = 0
        /// The newest file.
        fileprivate var last: ComposeFile
        /// End of the files, by the relay's wall clock.
        fileprivate var end: MediaTime
    }

    /// Properties that files of one track have in common. A track of Matroska has one codec and one rotation.
    private struct Key: Hashable {
        var participant: String
        var stream: String
        var kind: MediaKind
        var codec: VideoCodec?
        var rotation: Rotation
        var channels: Int
    }

    private static let maximumName = 120

    /// In order of start.
    private(set) var files: [ComposeFile]
    private(set) var tracks: [Track] = []

    init(_ files: [ComposeFile]) {
        self.files = files.sorted { $0.start < $1.start }
        var known: [Key: [Int]] = [:]
        for index in self.files.indices {
            self.files[index].tracks = self.files[index].sources.map { source in
                assignTrack(to: source, self.files[index], &known)
            }
        }
        nameTracks()
    }

    /// Returns the identity of the publisher among the session's files.
    static func publisher(of entry: RecordingIndex.Entry) -> String {
        entry.participant.map(identity) ?? "stream " + entry.stream
    }

    /// Returns the identity of a participant's user. Without an id of the user, the display name must suffice: a page that is loaded again
    /// gets another connection id.
    static func identity(of participant: RecordingSource.Participant) -> String {
        participant.identity.map { "identity " + $0 } ?? "name " + participant.name
    }

    /// Returns the name of the publisher for people, without control characters.
    static func name(of entry: RecordingIndex.Entry) -> String {
        plain(entry.participant.map(\.name) ?? entry.stream)
    }

    /// Returns a name without control characters, shortened if it is long.
    static func plain(_ name: String) -> String {
        let plain = name.unicodeScalars.filter { $0.properties.generalCategory != .control }
        return String(String.UnicodeScalarView(plain).prefix(Self.maximumName))
    }

    private mutating func assignTrack(
        to source: ComposeFile.Source, _ file: ComposeFile, _ known: inout [Key: [Int]]
    ) -> Int {
        var key = Key(
            participant: Self.publisher(of: file.entry),
            stream: (file.entry.videoType ?? "") + "/" + (file.entry.streamName ?? ""), kind: .audio, codec: nil,
            rotation: .none, channels: 0)
        var codecName = "Opus"
        switch source.media {
        case .video(let codec, _, _, let rotation):
            key.kind = .video
            key.codec = codec
            key.rotation = rotation
            codecName = codec.rawValue
        case .audio(let channels, _): key.channels = channels
        }
        let free = known[key]?.first { file.continues(tracks[$0].last, until: tracks[$0].end) }
        if let free {
            tracks[free].header.media = Self.larger(tracks[free].header.media, source.media)
            tracks[free].end = max(tracks[free].end, file.end)
            tracks[free].files += 1
            tracks[free].last = file
            return free
        }
        let header = MatroskaTrack(
            name: "\(Self.name(of: file.entry)) (\(Self.label(of: file.entry, key.kind)))", media: source.media,
            codecPrivate: source.codecPrivate, isDefault: !tracks.contains { $0.header.kind == key.kind })
        tracks.append(
            Track(
                header: header, codecName: codecName, participant: file.entry.participant, files: 1, last: file,
                end: file.end))
        known[key, default: []].append(tracks.count - 1)
        return tracks.count - 1
    }

    private static func label(of entry: RecordingIndex.Entry, _ kind: MediaKind) -> String {
        switch (kind, entry.videoType) {
        case (.video, "camera"): "camera"
        case (.video, "screen"): "screen"
        case (.video, _): "video"
        case (.audio, "screen"): "screen audio"
        case (.audio, _): "audio"
        }
    }

    /// Returns the header with the frame size of the most pixels, because players scale to it.
    private static func larger(_ a: MatroskaTrack.Media, _ b: MatroskaTrack.Media) -> MatroskaTrack.Media {
        guard case .video(_, let width, let height, _) = a, case .video(_, let otherWidth, let otherHeight, _) = b
        else {
            return a
        }
        return otherWidth * otherHeight > width * height ? b : a
    }

    /// Appends numbers to equal names.
    private mutating func nameTracks() {
        var counts: [String: Int] = [:]
        for index in tracks.indices {
            let name = tracks[index].header.name
            counts[name, default: 0] += 1
            if let count = counts[name], count > 1 { tracks[index].header.name = "\(name) \(count)" }
        }
    }
}
