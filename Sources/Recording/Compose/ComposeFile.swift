import Containers
import MediaBase

/// A recorded file of a session: its tracks, and its position on the common timeline. The file is open only while it is read.
struct ComposeFile {
    /// Header of a track of the file.
    struct Source {
        /// Track number in the recorded file.
        var number: Int
        var media: MatroskaTrack.Media
        var codecPrivate: [UInt8]
    }

    /// Maximum overlap of two files of one track. A publisher that reconnects may publish before the relay has ended the old stream.
    private static let maximumOverlap: MediaTime = .seconds(1)
    /// The same if both have the same stream, of which there is one at a time: the publisher has sent media again that it gathered, as an
    /// RTMP server does for each new reader.
    private static let maximumRepetition = RecordingTimeline.maximumLead + .seconds(1)

    let entry: RecordingIndex.Entry
    /// Position in the index, in order of recording.
    let number: Int
    let path: String
    let sources: [Source]
    let correction: ClockCorrection
    /// Duration in the index or the header; zero if neither has it.
    let duration: MediaTime
    let byteCount: Int64
    /// Index of the composed track for each of `sources`.
    var tracks: [Int] = []

    /// Reads the header of a file.
    init(_ entry: RecordingIndex.Entry, number: Int, path: String) throws(ContainerError) {
        self.entry = entry
        self.number = number
        self.path = path
        let reader = try WebMReader(source: FileSource(path: path))
        byteCount = reader.byteCount
        let video = reader.tracks.lazy.compactMap { track -> Source? in
            guard case .video(let codec) = track.codec, !track.isEncoded else { return nil }
            return Source(
                number: track.number,
                media: .video(
                    codec, width: min(max(1, track.width), 16_383), height: min(max(1, track.height), 16_383),
                    rotation: track.rotation), codecPrivate: track.codecPrivate)
        }.first
        let audio = reader.tracks.lazy.compactMap { track -> Source? in
            guard track.codec == .opus, !track.isEncoded, (1...2).contains(track.channels) else { return nil }
            let head = try? OpusHead(parsing: track.codecPrivate, in: .webm)
            return Source(
                number: track.number,
                media: .audio(channels: track.channels, preSkip: min(head?.preSkip ?? 312, 65_535)),
                codecPrivate: [])
        }.first
        sources = [video, audio].compactMap { $0 }
        correction = ClockCorrection(entry.clock ?? [])
        let seconds = entry.duration.map { MediaTime.seconds($0) }
        duration = max(.zero, seconds ?? reader.info.duration ?? .zero)
    }

    /// Time of a time of the file on the relay's wall clock, as time since 1970.
    func relayTime(_ time: MediaTime) -> MediaTime {
        .nanoseconds(entry.startUnixNanoseconds) + time + correction.lag(at: time)
    }

    /// Whether this file continues a track.
    /// - Parameters:
    ///   - file: the newest file of the track.
    ///   - end: end of the track.
    func continues(_ file: ComposeFile, until end: MediaTime) -> Bool {
        let isSameStream = entry.stream == file.entry.stream && number > file.number
        return end <= start + (isSameStream ? Self.maximumRepetition : Self.maximumOverlap)
    }

    var start: MediaTime { relayTime(.zero) }
    var end: MediaTime { relayTime(duration) }
}
