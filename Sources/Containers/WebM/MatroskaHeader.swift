import MediaBase

/// Header of a Matroska file of several tracks, with the positions of fields that are written at the end.
struct MatroskaHeader {
    /// Space for a SeekHead of four entries (89 bytes) and a Void for the rest.
    private static let seekHeadRoom = 112
    /// Length of Duration: ID (2), size (1) and 8-byte float.
    private static let durationRoom = 11

    private let segmentBody: Int64
    private let seekHeadOffset: Int64
    private let infoOffset: Int64
    private let durationOffset: Int64
    private let tracksOffset: Int64

    /// - Parameter subtitles: name of the subtitle track after `tracks`; nil: there is none.
    init(tracks: [MatroskaTrack], subtitles: String?, date: Int64?, documentType: String, into out: inout EBMLBuffer) {
        out.head(documentType)
        out.id(.segment)
        out.raw(EBMLBuffer.unknownSize)
        segmentBody = Int64(out.count)

        seekHeadOffset = Int64(out.count)
        out.void(total: Self.seekHeadRoom)

        infoOffset = Int64(out.count)
        var info = EBMLBuffer()
        info.unsigned(.timestampScale, 1_000_000)
        info.string(.muxingApp, "Millrace")
        info.string(.writingApp, "Millrace")
        if let date { info.signed64(.dateUTC, date &- WebMLayout.epochOf2001) }
        let durationInInfo = info.count
        info.void(total: Self.durationRoom)
        out.id(.info)
        out.size(info.count)
        durationOffset = Int64(out.count + durationInInfo)
        out.raw(info.bytes)

        tracksOffset = Int64(out.count)
        out.master(.tracks) { list in
            for (index, track) in tracks.enumerated() { track.write(number: index + 1, into: &list) }
            if let subtitles { MatroskaSubtitles.write(name: subtitles, number: tracks.count + 1, into: &list) }
        }
    }

    /// Returns a position for Cues and SeekHead, which count from the first byte of the segment's body.
    func segmentPosition(_ offset: Int64) -> Int64 { offset - segmentBody }

    static func chapters(_ chapters: [MatroskaChapter]) -> EBMLBuffer {
        var out = EBMLBuffer()
        out.master(.chapters) { list in
            list.master(.editionEntry) { edition in
                for (index, chapter) in chapters.enumerated() {
                    edition.master(.chapterAtom) { atom in
                        atom.unsigned(.chapterUID, UInt64(index + 1))
                        atom.unsigned(.chapterTimeStart, UInt64(max(0, chapter.time.rawValue)))
                        atom.master(.chapterDisplay) { display in
                            display.string(.chapterString, chapter.title)
                            display.string(.chapterLanguage, "und")
                        }
                    }
                }
            }
        }
        return out
    }

    /// Completes a finished file: writes the duration, the SeekHead and the segment's size.
    /// - Parameter elements: offsets of the elements after the clusters.
    func complete(
        _ sink: any ByteSink, elements: [(EBMLID, Int64)], milliseconds: Int64, fileSize: Int64
    ) throws(ContainerError) {
        var duration = EBMLBuffer()
        duration.float64(.duration, Double(milliseconds))
        try sink.overwrite(at: durationOffset, duration.bytes)

        var out = EBMLBuffer()
        let entries = [(.info, infoOffset), (.tracks, tracksOffset)] + elements
        out.seekHead(entries.map { ($0.0, segmentPosition($0.1)) }, room: Self.seekHeadRoom)
        try sink.overwrite(at: seekHeadOffset, out.bytes)
        try sink.overwrite(at: segmentBody - 8, EBMLBuffer.sizeBytes(Int(fileSize - segmentBody), width: 8))
    }
}
