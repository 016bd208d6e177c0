public import MediaBase

/// Writes many tracks of video and Opus, and subtitles, as one complete, seekable Matroska file (RFC 9559), with names of tracks and chapters.
///
/// `WebMWriter` writes the file of a live stream, which can be read at any time. This one keeps each cluster in memory until it is complete,
/// and the file can be read after `finish(chapters:)`.
///
/// ```swift
/// let track = MatroskaTrack(name: "Ada (audio)", media: .audio(channels: 2, preSkip: 312))
/// let writer = try MatroskaWriter(sink: FileSink(path: "session.mkv"), tracks: [track])
/// try writer.write(track: 0, timestamp: .zero, isKeyframe: true, bytes: packet)
/// try writer.finish(chapters: [MatroskaChapter(time: .zero, title: "Ada joins")])
/// ```
///
/// Memory: one cluster, and at most 65,536 entries of the seek index. Not thread-safe.
public final class MatroskaWriter {
    /// Type of the file in its EBML header.
    public enum DocumentType: String, Sendable { case matroska, webm }

    /// Maximum number of tracks of a file.
    public static let maximumTracks = 1_000

    /// Maximum duration in milliseconds and size in bytes of a cluster, apart from its last frame.
    private static let clusterDuration: Int64 = 1_000
    private static let clusterSize = 1 << 20
    /// Block times are 16-bit milliseconds relative to the cluster, and slightly unordered.
    private static let earliestBlock: Int64 = -30_000
    /// Milliseconds between two seek points of an audio track.
    private static let audioCueInterval: Int64 = 5_000
    /// Maximum number of seek points of all tracks; each track has at least 64.
    private static let maximumCues = 65_536

    private struct TrackState {
        var kind: MediaKind
        var cues: WebMCueList
        var lastCue: Int64?
    }

    private let sink: any ByteSink
    private let header: MatroskaHeader
    private var tracks: [TrackState]
    private let hasSubtitles: Bool
    private var blocks = EBMLBuffer()
    private var clusterTime: Int64?
    private var end: Int64 = 0
    private var isOpen = true

    /// Bytes that the sink has.
    public private(set) var byteCount: Int64 = 0
    /// End of the latest block.
    public var duration: MediaTime { .milliseconds(end) }

    /// Writes the header.
    ///
    /// - Parameters:
    ///   - sink: a sink that can overwrite, such as a regular file.
    ///   - tracks: 1 to `maximumTracks` tracks.
    ///   - subtitles: name of a subtitle track after these; nil: the file has none.
    ///   - date: wall-clock time of timestamp zero, in nanoseconds since 1970-01-01T00:00:00Z; nil omits DateUTC.
    ///   - documentType: `webm` is only for codecs of WebM.
    /// - Throws: `misuse` for parameters out of range; errors of the sink.
    public init(
        sink: any ByteSink, tracks: [MatroskaTrack], subtitles: String? = nil, date: Int64? = nil,
        documentType: DocumentType = .matroska
    ) throws(ContainerError) {
        guard (1...Self.maximumTracks).contains(tracks.count) else {
            throw ContainerError(.webm, "Tracks", .misuse("a file has 1 to \(Self.maximumTracks) tracks"))
        }
        guard sink.canOverwrite else {
            throw ContainerError(.webm, "Segment", .misuse("the output must be a regular file"))
        }
        guard subtitles == nil || documentType == .matroska else {
            throw ContainerError(.webm, "Tracks", .misuse("WebM has no subtitles of this kind"))
        }
        for track in tracks { try track.check() }
        self.sink = sink
        hasSubtitles = subtitles != nil
        let capacity = max(64, Self.maximumCues / tracks.count)
        self.tracks = tracks.map { TrackState(kind: $0.kind, cues: WebMCueList(capacity: capacity)) }
        var out = EBMLBuffer()
        header = MatroskaHeader(
            tracks: tracks, subtitles: subtitles, date: date, documentType: documentType.rawValue, into: &out)
        try append(out)
    }

    /// Adds one frame, in the order of decoding. Times of a track must increase, except those of reordered frames of H.264; the order between
    /// tracks may be slightly wrong.
    ///
    /// - Parameters:
    ///   - track: index in the array of tracks.
    ///   - timestamp: not negative; rounded to milliseconds.
    ///   - duration: duration of the frame if known; only affects the duration of the file.
    ///   - isKeyframe: true for every Opus packet.
    /// - Throws: `misuse` for parameters out of range and after `finish`; errors of the sink.
    public func write(
        track: Int, timestamp: MediaTime, duration: MediaTime = .zero, isKeyframe: Bool, bytes: [UInt8]
    ) throws(ContainerError) {
        guard isOpen, tracks.indices.contains(track) else {
            throw ContainerError(.webm, "SimpleBlock", at: byteCount, .misuse("no such track, or write after finish"))
        }
        try checkFrame(timestamp, byteCount: bytes.count)
        let time = Self.milliseconds(timestamp)
        try prepareCluster(for: time)
        if isKeyframe { addCue(track, time) }
        appendBlock(.simpleBlock, track: track + 1, time: time, flags: isKeyframe ? 0x80 : 0, bytes, to: &blocks)
        end = max(end, Self.milliseconds(timestamp + max(.zero, duration)))
    }

    /// Adds a text that players show over the video, if their user selects the subtitle track. Texts may overlap.
    ///
    /// - Parameters:
    ///   - text: not empty. Tags and codes of subtitles, such as `<b>`, are shown as they are.
    ///   - timestamp: as for `write(track:timestamp:duration:isKeyframe:bytes:)`.
    ///   - duration: time for which the text is shown; not negative.
    /// - Throws: `misuse` for parameters out of range, without a subtitle track, and after `finish`; errors of the sink.
    public func write(subtitle text: String, timestamp: MediaTime, duration: MediaTime) throws(ContainerError) {
        guard isOpen, hasSubtitles, duration >= .zero, duration < .never else {
            throw ContainerError(.webm, "BlockGroup", at: byteCount, .misuse("no subtitles, or write after finish"))
        }
        let bytes = MatroskaSubtitles.bytes(of: text)
        try checkFrame(timestamp, byteCount: bytes.count)
        let time = Self.milliseconds(timestamp)
        try prepareCluster(for: time)
        var group = EBMLBuffer()
        appendBlock(.block, track: tracks.count + 1, time: time, flags: 0, bytes, to: &group)
        group.unsigned(.blockDuration, UInt64(Self.milliseconds(duration)))
        blocks.id(.blockGroup)
        blocks.size(group.count)
        blocks.raw(group.bytes)
    }

    private func checkFrame(_ timestamp: MediaTime, byteCount count: Int) throws(ContainerError) {
        guard timestamp >= .zero, timestamp < .never, count > 0, count <= WebMReader.maximumFrame else {
            throw ContainerError(
                .webm, "SimpleBlock", at: byteCount, .misuse("time out of range, no bytes or too many"))
        }
    }

    /// Begins a cluster for a block of this time, if there is none or it has come to its end.
    private func prepareCluster(for time: Int64) throws(ContainerError) {
        if let clusterTime {
            let relative = time - clusterTime
            if relative >= Self.clusterDuration || relative < Self.earliestBlock || blocks.count >= Self.clusterSize {
                try endCluster()
            }
        }
        clusterTime = clusterTime ?? time
    }

    /// - Parameter track: number of the track, from 1.
    private func appendBlock(
        _ id: EBMLID, track: Int, time: Int64, flags: UInt8, _ bytes: [UInt8], to out: inout EBMLBuffer
    ) {
        let number = EBMLBuffer.sizeBytes(track, width: track < 127 ? 1 : 2)
        let relative = UInt16(truncatingIfNeeded: time - (clusterTime ?? time))
        out.id(id)
        out.size(number.count + 3 + bytes.count)
        out.raw(number)
        out.raw([UInt8(relative >> 8), UInt8(relative & 0xff), flags])
        out.raw(bytes)
    }

    /// Completes the file with chapters and seek index, and closes the sink.
    ///
    /// - Parameter chapters: in order of time.
    /// - Throws: errors of the sink, which is then closed too; `misuse` when called again.
    public func finish(chapters: [MatroskaChapter] = []) throws(ContainerError) {
        guard isOpen else { throw ContainerError(.webm, "Segment", at: byteCount, .misuse("finished twice")) }
        isOpen = false
        var failure: ContainerError?
        do throws(ContainerError) { try complete(chapters) } catch { failure = error }
        do throws(ContainerError) { try sink.close() } catch { failure = failure ?? error }
        if let failure { throw failure }
    }

    private func complete(_ chapters: [MatroskaChapter]) throws(ContainerError) {
        try endCluster()
        var elements: [(EBMLID, Int64)] = []
        if !chapters.isEmpty {
            elements.append((.chapters, byteCount))
            try append(MatroskaHeader.chapters(chapters))
        }
        let cues = tracks.flatMap(\.cues.entries).sorted { ($0.time, $0.track) < ($1.time, $1.track) }
        if !cues.isEmpty {
            elements.append((.cues, byteCount))
            var out = EBMLBuffer()
            out.raw(WebMLayout.cues(cues))
            try append(out)
        }
        try header.complete(sink, elements: elements, milliseconds: end, fileSize: byteCount)
    }

    /// Notes a seek point: each key frame of video, and audio at intervals.
    private func addCue(_ track: Int, _ time: Int64) {
        if tracks[track].kind == .audio, let last = tracks[track].lastCue, time - last < Self.audioCueInterval {
            return
        }
        tracks[track].lastCue = time
        tracks[track].cues.append(
            WebMCue(time: time, track: track + 1, clusterPosition: header.segmentPosition(byteCount)))
    }

    private func endCluster() throws(ContainerError) {
        guard let time = clusterTime else { return }
        clusterTime = nil
        var head = EBMLBuffer()
        var timestamp = EBMLBuffer()
        timestamp.unsigned(.timestamp, UInt64(time))
        head.id(.cluster)
        head.size(timestamp.count + blocks.count)
        head.raw(timestamp.bytes)
        try append(head)
        try append(blocks)
        blocks.removeAll()
    }

    private func append(_ buffer: EBMLBuffer) throws(ContainerError) {
        try sink.write(buffer.bytes)
        byteCount += Int64(buffer.count)
    }

    /// Rounds to the nearest millisecond. - Parameter time: not negative.
    private static func milliseconds(_ time: MediaTime) -> Int64 {
        let (whole, rest) = time.rawValue.quotientAndRemainder(dividingBy: 1_000_000)
        return rest >= 500_000 ? whole + 1 : whole
    }
}
