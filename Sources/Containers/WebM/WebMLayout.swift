import MediaBase

/// Header of a WebM file, with the positions of fields that are written later.
struct WebMLayout {
    /// Space for a SeekHead of three entries (68 bytes) and a Void for the rest.
    private static let seekHeadRoom = 96
    /// Space for Duration: ID (2), size (1) and 8-byte float; a Void of the same length until it is known.
    private static let durationRoom = 11
    /// Length of PixelWidth and PixelHeight: ID (1), size (1) and 2-byte number each.
    private static let sizeLength = 8
    /// Length of Projection with its type and roll.
    private static let projectionLength = 14
    /// DateUTC counts from 2001-01-01T00:00:00Z.
    static let epochOf2001: Int64 = 978_307_200 * 1_000_000_000

    let isSeekable: Bool
    private let videoTrack: Int?
    private let audioTrack: Int?
    private let segmentBody: Int64
    private let seekHeadOffset: Int64
    private let infoOffset: Int64
    private let durationOffset: Int64
    private let tracksOffset: Int64
    /// Offset of PixelWidth and PixelHeight, 8 bytes together; nil without video.
    private let sizeOffset: Int64?
    /// Offset and length of each track's entry in bytes.
    private var entries: [MediaKind: (offset: Int64, length: Int)] = [:]

    func trackNumber(_ kind: MediaKind) -> Int? { kind == .video ? videoTrack : audioTrack }

    /// Returns a position for Cues and SeekHead, which count from the first byte of the segment's body.
    func segmentPosition(_ offset: Int64) -> Int64 { offset - segmentBody }

    init(_ configuration: WebMConfiguration, isSeekable: Bool, into out: inout EBMLBuffer) {
        self.isSeekable = isSeekable
        videoTrack = configuration.video == nil ? nil : 1
        audioTrack = configuration.audio == nil ? nil : (configuration.video == nil ? 1 : 2)

        out.head(configuration.video?.codec == .h264 ? "matroska" : "webm")
        out.id(.segment)
        out.raw(EBMLBuffer.unknownSize)
        segmentBody = Int64(out.count)

        seekHeadOffset = Int64(out.count)
        if isSeekable { out.void(total: Self.seekHeadRoom) }

        infoOffset = Int64(out.count)
        var info = EBMLBuffer()
        info.unsigned(.timestampScale, 1_000_000)
        info.string(.muxingApp, "Millrace")
        info.string(.writingApp, configuration.writingApp)
        if let date = configuration.date { info.signed64(.dateUTC, date &- Self.epochOf2001) }
        let durationInInfo = info.count
        if isSeekable { info.void(total: Self.durationRoom) }
        out.id(.info)
        out.size(info.count)
        durationOffset = Int64(out.count + durationInInfo)
        out.raw(info.bytes)

        tracksOffset = Int64(out.count)
        var tracks = EBMLBuffer()
        if let video = configuration.video { tracks.master(.trackEntry) { Self.entry(video, into: &$0) } }
        // The size is the last element of the video entry.
        let videoLength = tracks.count
        if let audio = configuration.audio {
            let number = configuration.video == nil ? 1 : 2
            tracks.master(.trackEntry) { Self.entry(audio, number: number, into: &$0) }
        }
        out.id(.tracks)
        out.size(tracks.count)
        let body = Int64(out.count)
        sizeOffset = configuration.video == nil ? nil : body + Int64(videoLength - Self.sizeLength)
        if configuration.video != nil { entries[.video] = (body, videoLength) }
        if configuration.audio != nil { entries[.audio] = (body + Int64(videoLength), tracks.count - videoLength) }
        out.raw(tracks.bytes)
    }

    private static func entry(_ video: WebMConfiguration.Video, into entry: inout EBMLBuffer) {
        entry.unsigned(.trackNumber, 1)
        entry.unsigned(.trackUID, 1)
        entry.unsigned(.trackType, 1)
        entry.unsigned(.flagLacing, 0)
        entry.string(.codecID, video.codec.matroskaID)
        if !video.codecPrivate.isEmpty { entry.binary(.codecPrivate, video.codecPrivate) }
        entry.master(.video) { settings in
            // Space for a Projection, which is written with the first frame that has a rotation.
            if video.rotation == .none {
                settings.void(total: projectionLength)
            } else {
                settings.raw(projection(video.rotation))
            }
            settings.raw(size(width: video.width, height: video.height))
        }
    }

    /// Returns PixelWidth and PixelHeight in two bytes each, enough for every size of VP8 and of real
    /// streams of other codecs, so that another size can overwrite them.
    private static func size(width: Int, height: Int) -> [UInt8] {
        var out = EBMLBuffer()
        out.unsigned(.pixelWidth, UInt64(width), width: 2)
        out.unsigned(.pixelHeight, UInt64(height), width: 2)
        return out.bytes
    }

    private static func entry(_ audio: WebMConfiguration.Audio, number: Int, into entry: inout EBMLBuffer) {
        entry.unsigned(.trackNumber, UInt64(number))
        entry.unsigned(.trackUID, UInt64(number))
        entry.unsigned(.trackType, 2)
        entry.unsigned(.flagLacing, 0)
        entry.opus(channels: audio.channels, preSkip: audio.preSkip)
    }

    static func cues(_ cues: [WebMCue]) -> [UInt8] {
        var out = EBMLBuffer()
        out.master(.cues) { list in
            for cue in cues {
                list.master(.cuePoint) { point in
                    point.unsigned(.cueTime, UInt64(cue.time))
                    point.master(.cueTrackPositions) { positions in
                        positions.unsigned(.cueTrack, UInt64(cue.track))
                        positions.unsigned(.cueClusterPosition, UInt64(cue.clusterPosition))
                    }
                }
            }
        }
        return out.bytes
    }

    func writeDuration(_ sink: any ByteSink, milliseconds: Int64) throws(ContainerError) {
        var out = EBMLBuffer()
        out.float64(.duration, Double(milliseconds))
        try sink.overwrite(at: durationOffset, out.bytes)
    }

    func writeSize(_ sink: any ByteSink, width: Int, height: Int) throws(ContainerError) {
        guard let sizeOffset else { return }
        try sink.overwrite(at: sizeOffset, Self.size(width: width, height: height))
    }

    /// - Parameter rotation: clockwise rotation that players apply.
    func writeRotation(_ sink: any ByteSink, _ rotation: Rotation) throws(ContainerError) {
        guard let sizeOffset else { return }
        try sink.overwrite(at: sizeOffset - Int64(Self.projectionLength), Self.projection(rotation))
    }

    /// Returns a Projection of `projectionLength` bytes.
    private static func projection(_ rotation: Rotation) -> [UInt8] {
        var out = EBMLBuffer()
        out.projection(rotation)
        return out.bytes
    }

    /// Removes a track from the header by overwriting its entry with a Void element.
    func removeTrack(_ kind: MediaKind, _ sink: any ByteSink) throws(ContainerError) {
        guard let entry = entries[kind] else { return }
        var out = EBMLBuffer()
        out.void(total: entry.length)
        try sink.overwrite(at: entry.offset, out.bytes)
    }

    /// Completes a finished file: writes the SeekHead and the segment's size.
    func complete(_ sink: any ByteSink, cuesOffset: Int64?, fileSize: Int64) throws(ContainerError) {
        var out = EBMLBuffer()
        var entries: [(EBMLID, Int64)] = [(.info, infoOffset), (.tracks, tracksOffset)]
        if let cuesOffset { entries.append((.cues, cuesOffset)) }
        out.seekHead(entries.map { ($0.0, segmentPosition($0.1)) }, room: Self.seekHeadRoom)
        try sink.overwrite(at: seekHeadOffset, out.bytes)
        try sink.overwrite(at: segmentBody - 8, EBMLBuffer.sizeBytes(Int(fileSize - segmentBody), width: 8))
    }
}
