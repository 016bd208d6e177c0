import CWebM
import MediaBase

/// State filled by libwebm's callbacks. The shim has an unretained pointer to it; `WebMReader` owns both.
final class WebMParserState {
    struct Element {
        var id: UInt32 = 0
        var position: Int64 = 0
        /// Offset after the last byte; nil if the size is unknown.
        var end: Int64?

        var isMaster: Bool { WebMParserState.masters.contains(id) }
        var name: String { WebMParserState.names[id] ?? "element 0x" + String(id, radix: 16) }
    }

    struct Block {
        var frame: WebMFrame
        var laceIndex: Int
    }

    let input: BufferedSource
    let byteCount: Int64
    var info = WebMInfo()
    var tracks: [WebMTrack] = []
    var structure = WebMStructure()
    var blocks: [Block] = []
    var lastElement = Element()
    var segment: Element?
    var cluster: Element?
    /// Whether a block was refused because its size exceeds the file.
    var refusedPastEnd = false
    var resyncFloor: Int64 = 0
    var failure: ContainerError?

    init(_ input: BufferedSource) {
        self.input = input
        byteCount = input.remaining
    }

    private static let names: [UInt32: String] = [
        0x1A45_DFA3: "EBML", 0x1853_8067: "Segment", 0x114D_9B74: "SeekHead", 0x1549_A966: "Info",
        0x1654_AE6B: "Tracks",
        0xAE: "TrackEntry", 0x63A2: "CodecPrivate", 0x1F43_B675: "Cluster", 0xE7: "Timestamp", 0xA3: "SimpleBlock",
        0xA0: "BlockGroup", 0xA1: "Block", 0x1C53_BB6B: "Cues", 0x1254_C367: "Tags", 0xEC: "Void",
        0x1043_A770: "Chapters", 0xFB: "ReferenceBlock", 0x9B: "BlockDuration", 0xE0: "Video", 0xE1: "Audio",
    ]
    /// Master elements that the parser enters.
    private static let masters: Set<UInt32> = [
        0x1853_8067, 0x1654_AE6B, 0xAE, 0xE0, 0xE1, 0x1F43_B675, 0xA0, 0x1549_A966,
    ]
    private static let maximumTracks = 64

    func element(id: UInt32, position: UInt64, headerSize: UInt64, size: UInt64) -> Bool {
        let start = Int64(clamping: position)
        let header = Int64(clamping: headerSize)
        // Only the claimed size can be huge; positions are those of real bytes.
        let bodyEnd: Int64? = size == .max ? nil : start + header + min(Int64(clamping: size), .max / 2)
        lastElement = Element(id: id, position: start, end: bodyEnd)
        switch id {
        case 0x1853_8067:
            segment = lastElement
            structure.segmentSizeIsKnown = bodyEnd != nil
        case 0x114D_9B74: structure.hasSeekHead = true
        case 0x1F43_B675:
            cluster = lastElement
            structure.clusters += 1
        case 0x1C53_BB6B: structure.hasCues = true
        case 0xA3, 0xA0, 0xA1:
            // Refused before any byte is read, so that a false size cannot consume the following elements.
            guard let bodyEnd, bodyEnd <= byteCount else {
                refusedPastEnd = true
                return false
            }
        default: break
        }
        return true
    }

    func add(_ frame: millrace_webm_frame) {
        structure.blocks += frame.lace_index == 0 ? 1 : 0
        let scale = info.timestampScale.rawValue
        let bytes = Array(UnsafeBufferPointer(start: frame.bytes, count: frame.size))
        blocks.append(
            Block(
                frame: WebMFrame(
                    track: Int(truncatingIfNeeded: frame.track),
                    timestamp: Self.time(frame.timestamp, scale: scale),
                    duration: frame.has_duration ? Self.time(Int64(clamping: frame.duration), scale: scale) : nil,
                    isKeyframe: frame.key_frame, isVisible: frame.visible,
                    discardPadding: .nanoseconds(frame.discard_padding), position: Int64(clamping: frame.position),
                    bytes: bytes),
                laceIndex: Int(frame.lace_index)))
    }

    func add(_ track: millrace_webm_track) {
        guard tracks.count < Self.maximumTracks, !tracks.contains(where: { UInt64($0.number) == track.number }),
            track.number > 0, track.number <= 127
        else { return }
        let name = String(cString: track.codec_id)
        let rate = track.sampling_frequency
        tracks.append(
            WebMTrack(
                number: Int(track.number), kind: track.type == 1 ? .video : track.type == 2 ? .audio : nil,
                codec: WebMTrack.Codec(matroskaID: name),
                codecPrivate: Array(UnsafeBufferPointer(start: track.codec_private, count: track.codec_private_size)),
                width: track.type == 1 ? Int(clamping: track.pixel_width) : 0,
                height: track.type == 1 ? Int(clamping: track.pixel_height) : 0,
                rotation: Rotation(projectionRoll: track.projection_roll),
                channels: track.type == 2 ? Int(clamping: track.channels) : 0,
                sampleRate: track.type == 2 && rate.isFinite ? rate : 0,
                codecDelay: .nanoseconds(Int64(clamping: track.codec_delay)),
                seekPreRoll: .nanoseconds(Int64(clamping: track.seek_pre_roll)),
                defaultDuration: track.default_duration == 0
                    ? nil : .nanoseconds(Int64(clamping: track.default_duration)),
                isEncoded: track.encoded))
    }

    func set(_ raw: millrace_webm_info) {
        let scale = Int64(clamping: raw.timestamp_scale)
        info.timestampScale = .nanoseconds(scale > 0 ? scale : 1_000_000)
        if raw.has_duration, raw.duration.isFinite, raw.duration > 0 {
            let nanoseconds = raw.duration * Double(info.timestampScale.rawValue)
            info.duration = nanoseconds < 9e18 ? .nanoseconds(Int64(nanoseconds)) : nil
        }
        if raw.has_date { info.date = raw.date_utc &+ WebMLayout.epochOf2001 }
        info.muxingApp = String(String(cString: raw.muxing_app).prefix(256))
        info.writingApp = String(String(cString: raw.writing_app).prefix(256))
    }

    private static func time(_ ticks: Int64, scale: Int64) -> MediaTime {
        let product = ticks.multipliedReportingOverflow(by: scale)
        return .nanoseconds(product.overflow ? (ticks < 0 ? .min : .max) / 2 : product.partialValue)
    }

    func callbacks() -> millrace_webm_callbacks {
        var table = millrace_webm_callbacks()
        table.context = Unmanaged.passUnretained(self).toOpaque()
        table.read = { context, buffer, count in
            guard let state = WebMParserState.from(context), let buffer else { return -1 }
            do throws(ContainerError) {
                return Int64(
                    try state.input.read(
                        into: UnsafeMutableRawBufferPointer(start: buffer, count: Int(clamping: count))))
            } catch {
                state.failure = error
                return -1
            }
        }
        table.skip = { context, count in WebMParserState.from(context)?.input.skip(count) ?? 0 }
        table.position = { context in UInt64(WebMParserState.from(context)?.input.position ?? 0) }
        table.document = { context, type in
            guard let type else { return }
            WebMParserState.from(context)?.structure.documentType = String(cString: type)
        }
        table.info = { context, info in if let info { WebMParserState.from(context)?.set(info.pointee) } }
        table.track = { context, track in if let track { WebMParserState.from(context)?.add(track.pointee) } }
        table.frame = { context, frame in
            guard let state = WebMParserState.from(context), let frame else { return false }
            state.add(frame.pointee)
            // Pauses the parser after the last frame of the block.
            return frame.pointee.lace_index + 1 < frame.pointee.lace_count
        }
        table.element = { context, id, position, headerSize, size in
            WebMParserState.from(context)?.element(id: id, position: position, headerSize: headerSize, size: size)
                ?? false
        }
        return table
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> WebMParserState? {
        context.map { Unmanaged<WebMParserState>.fromOpaque($0).takeUnretainedValue() }
    }
}
