import CWebM

/// Reads WebM, and Matroska as far as libwebm supports it, from any writer: unknown sizes, all four kinds of lacing,
/// block groups. Skips damaged data up to the next cluster and notes it in `damage`.
///
/// ```swift
/// let reader = try WebMReader(source: FileSource(path: "a.webm"))
/// while let frame = try reader.next() { … }
/// ```
///
/// Memory: one block. Not thread-safe.
public final class WebMReader {
    /// Largest frame; a larger one counts as damage.
    public static let maximumFrame = 64 << 20
    /// Maximum number of skips over damaged data; the rest of the file is skipped after that.
    static let maximumResyncs = 10_000

    public var info: WebMInfo { state.info }
    public var tracks: [WebMTrack] { state.tracks }
    public var structure: WebMStructure { state.structure }
    public private(set) var damage = DamageLog()
    /// Whether the file ends inside an element, because it was cut or its last write is in progress. The last note of
    /// `damage` has the position; everything before it is unaffected.
    public private(set) var isCutOff = false
    /// Bytes read of `byteCount`, for progress.
    public var position: Int64 { state.input.position }
    public let byteCount: Int64

    private let state: WebMParserState
    private let parser: OpaquePointer
    private var resyncs = 0
    private var isAtEnd = false
    private var queue: [WebMFrame] = []
    private var queueHead = 0
    private var lace = WebMLaceClock()

    /// Reads up to the first block. Throws if there is no EBML header or no track.
    public init(source: any ByteSource) throws(ContainerError) {
        byteCount = source.byteCount
        state = WebMParserState(BufferedSource(source))
        guard try state.input.peek(4).elementsEqual([0x1a, 0x45, 0xdf, 0xa3]) else {
            throw ContainerError(.webm, "EBML", at: 0, .wrongFormat)
        }
        guard let created = millrace_webm_parser_create(state.callbacks()) else {
            throw ContainerError(.webm, "parser", .io(code: 12, call: "malloc"))
        }
        parser = created
        try fill()
        guard ["webm", "matroska"].contains(structure.documentType) else {
            throw ContainerError(.webm, "DocType", at: 0, .unsupported("\"\(structure.documentType.prefix(32))\""))
        }
        guard !tracks.isEmpty else {
            throw damage.notes.first?.error ?? ContainerError(.webm, "Tracks", at: position, .truncated)
        }
    }

    deinit { millrace_webm_parser_destroy(parser) }

    /// Returns the next frame in file order; nil at the end. Throws if the source fails.
    public func next() throws(ContainerError) -> WebMFrame? {
        if queueHead == queue.count { try fill() }
        guard queueHead < queue.count else { return nil }
        let frame = queue[queueHead]
        queueHead += 1
        return frame
    }

    /// Parses until there are frames, or to the end.
    private func fill() throws(ContainerError) {
        queue.removeAll(keepingCapacity: true)
        queueHead = 0
        while state.blocks.isEmpty, !isAtEnd {
            var code: Int32 = 0
            let result = millrace_webm_parser_feed(parser, &code)
            if let failure = state.failure { throw failure }
            switch result {
            case millrace_webm_paused: break
            case millrace_webm_end: finish()
            case millrace_webm_damaged: try resync(.malformed(text(code)))
            case millrace_webm_no_memory: try resync(.tooLarge(limit: Int64(Self.maximumFrame)))
            default: throw ContainerError(.webm, "contents", at: position, .io(code: 5, call: "read"))
            }
        }
        for block in state.blocks { queue.append(lace.frame(from: block, tracks: tracks, info: info)) }
        state.blocks.removeAll(keepingCapacity: true)
    }

    /// Handles the end of the file, which is a loss inside an element of known size.
    private func finish() {
        isAtEnd = true
        let element = state.lastElement
        if !element.isMaster, let end = element.end {
            if end > byteCount {
                cutOff(element.name, at: element.position, lostBytes: byteCount - element.position)
                return
            } else if end < byteCount {
                cutOff("element header", at: end, lostBytes: byteCount - end)
                return
            }
        }
        for open in [state.cluster, state.segment] {
            if let open, let end = open.end, end > byteCount {
                cutOff(open.name, at: open.position, lostBytes: 0)
                return
            }
        }
    }

    private func cutOff(_ name: String, at position: Int64, lostBytes: Int64) {
        isCutOff = true
        damage.add(ContainerError(.webm, name, at: position, .truncated), lostBytes: lostBytes)
    }

    private func resync(_ reason: ContainerError.Reason) throws(ContainerError) {
        let element = state.lastElement
        let truncated = state.refusedPastEnd
        state.refusedPastEnd = false
        let error = ContainerError(.webm, element.name, at: element.position, truncated ? .truncated : reason)
        resyncs += 1
        // After the start of the failed element, so that each step makes progress.
        let from = max(element.position + 1, state.resyncFloor)
        state.input.seek(to: from)
        let found = resyncs <= Self.maximumResyncs ? try state.input.find([0x1f, 0x43, 0xb6, 0x75]) : false
        let target = found ? state.input.position : byteCount
        damage.add(error, lostBytes: target - element.position)
        guard found else {
            isCutOff = truncated
            state.input.seek(to: byteCount)
            isAtEnd = true
            return
        }
        state.resyncFloor = target + 1
        millrace_webm_parser_did_seek(parser)
    }

    private func text(_ code: Int32) -> String {
        switch code {
        case -1025: return "element ID"
        case -1026: return "element size"
        case -1027: return "unknown element of unknown size"
        case -1028: return "larger than its parent element"
        case -1030: return "value"
        case -1031: return "nested too deeply"
        default: return "refused (status \(code))"
        }
    }
}
