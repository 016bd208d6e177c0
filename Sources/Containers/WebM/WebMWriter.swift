public import MediaBase

/// Writes live VP8, VP9 or AV1 and Opus as WebM (Matroska, RFC 9559, within WebM's subset), and H.264 and Opus as Matroska.
///
/// Debian's package has only the headers of libwebm's parser, not its muxer, and a live recording needs few elements,
/// so they are written here. The segment has an unknown size, and so does each cluster until the next one begins: the
/// file can be read at any time, also after its writer was killed. On a sink that can overwrite, a finished cluster
/// gets its size, and the header gets the duration and the largest frame size so far; `finish()` adds Cues, SeekHead
/// and the segment's size.
///
/// ```swift
/// let writer = try WebMWriter(
///     sink: FileSink(path: "a.webm"), configuration: WebMConfiguration(video: .init(width: 640, height: 360), audio: nil))
/// try writer.write(.video, timestamp: .zero, isKeyframe: true, bytes: frame)
/// try writer.finish()
/// ```
///
/// Not thread-safe: only one thread may use a writer.
public final class WebMWriter {
    private let sink: any ByteSink
    private let configuration: WebMConfiguration
    private let layout: WebMLayout
    private var pending = EBMLBuffer()
    private var cluster: OpenCluster?
    private var cues = WebMCueList()
    /// Minimum length of a cluster in milliseconds before a key frame begins another one, so that a publisher that
    /// sends only key frames cannot create a cluster for each of them.
    private static let minimumCluster: Int64 = 100
    /// Time of the last flush in milliseconds.
    private var lastFlush: Int64 = 0
    private var end: Int64 = 0
    private var flushedEnd: Int64 = 0
    private var isOpen = true
    private var isBroken = false
    private var flushedCount: Int64 = 0

    /// Bytes written so far, including buffered ones.
    public var byteCount: Int64 { flushedCount + Int64(pending.count) }
    public private(set) var videoFrames = 0
    public private(set) var audioFrames = 0
    /// Largest size of the written frames, and the size in the header.
    private var frameSize: (width: Int, height: Int)?
    private var headerSize: (width: Int, height: Int)?
    private var rotation = Rotation.none
    private var isRotationWritten = true
    /// End of the latest block.
    public var duration: MediaTime { .milliseconds(end) }

    private struct OpenCluster {
        var offset: Int64
        var bodyOffset: Int64
        var timestamp: Int64
    }

    /// Writes the header.
    public init(sink: any ByteSink, configuration: WebMConfiguration) throws(ContainerError) {
        guard configuration.video != nil || configuration.audio != nil else {
            throw ContainerError(.webm, "Tracks", .misuse("neither video nor audio"))
        }
        if let video = configuration.video, !(1...16383).contains(video.width) || !(1...16383).contains(video.height) {
            throw ContainerError(.webm, "PixelWidth", .misuse("frames are 1 to 16383 pixels wide and high"))
        }
        if let audio = configuration.audio, !(1...2).contains(audio.channels) || !(0...65535).contains(audio.preSkip) {
            throw ContainerError(.webm, "Audio", .misuse("one or two channels, pre-skip of 16 bits"))
        }
        guard configuration.clusterDuration > .zero, configuration.clusterDuration <= .seconds(30) else {
            throw ContainerError(.webm, "Cluster", .misuse("clusters of up to 30 s"))
        }
        self.sink = sink
        self.configuration = configuration
        headerSize = configuration.video.map { ($0.width, $0.height) }
        rotation = configuration.video?.rotation ?? .none
        var header = EBMLBuffer()
        layout = WebMLayout(configuration, isSeekable: sink.canOverwrite, into: &header)
        pending.raw(header.bytes)
        try flush()
    }

    /// Adds one frame. Time starts at zero. The order between tracks may be slightly wrong; within a track it must be
    /// that of decoding.
    ///
    /// - Parameters:
    ///   - duration: duration of the frame if known; only affects the duration of the file.
    ///   - isKeyframe: true for every Opus packet.
    public func write(
        _ kind: MediaKind, timestamp: MediaTime, duration: MediaTime = .zero, isKeyframe: Bool,
        bytes: UnsafeRawBufferPointer
    ) throws(ContainerError) {
        guard isOpen, !isBroken else {
            throw ContainerError(.webm, "SimpleBlock", at: byteCount, .misuse("write after finish"))
        }
        guard let track = layout.trackNumber(kind) else {
            throw ContainerError(
                .webm, "SimpleBlock", at: byteCount, .misuse("the header has no \(kind.rawValue) track"))
        }
        guard timestamp >= .zero, bytes.count > 0, bytes.count <= WebMReader.maximumFrame else {
            throw ContainerError(.webm, "SimpleBlock", at: byteCount, .misuse("negative time, no bytes or too many"))
        }
        let time = Self.milliseconds(timestamp)
        let isCuePoint = isKeyframe && (kind == .video || configuration.video == nil)
        if needsCluster(at: time, isKeyframe: isKeyframe && kind == .video) {
            try beginCluster(at: time, cueTrack: isCuePoint ? track : nil)
        }
        guard let cluster else { return }

        pending.id(.simpleBlock)
        pending.size(bytes.count + 4)
        let relative = UInt16(truncatingIfNeeded: time - cluster.timestamp)
        let flags: UInt8 = isKeyframe ? 0x80 : 0
        pending.raw([0x80 | UInt8(track), UInt8(relative >> 8), UInt8(relative & 0xff), flags])
        pending.raw(bytes)
        if kind == .video { videoFrames += 1 } else { audioFrames += 1 }
        end = max(end, Self.milliseconds(timestamp + max(.zero, duration)))

        if pending.count >= 256 << 10 || abs(time - lastFlush) >= configuration.flushInterval.rawValue / 1_000_000 {
            try flush()
            lastFlush = time
        }
    }

    /// Notes the size of a key frame. At the end of the cluster, the header gets the size of the frame with the most
    /// pixels: a browser's encoder starts with a small size, and players scale to the size in the header.
    ///
    /// - Parameters: each 1 to 16383 pixels; other sizes are ignored.
    public func noteSize(width: Int, height: Int) {
        guard (1...16383).contains(width), (1...16383).contains(height) else { return }
        if let frameSize, frameSize.width * frameSize.height >= width * height { return }
        frameSize = (width, height)
    }

    /// Notes the clockwise rotation that players apply to all frames of the file. It is written to the header at the
    /// end of the cluster.
    public func noteRotation(_ rotation: Rotation) {
        guard rotation != self.rotation else { return }
        self.rotation = rotation
        isRotationWritten = false
    }

    /// Rounds to the nearest millisecond. - Parameter time: not negative.
    private static func milliseconds(_ time: MediaTime) -> Int64 {
        let (whole, rest) = time.rawValue.quotientAndRemainder(dividingBy: 1_000_000)
        return rest >= 500_000 ? whole + 1 : whole
    }

    public func write(
        _ kind: MediaKind, timestamp: MediaTime, duration: MediaTime = .zero, isKeyframe: Bool, bytes: [UInt8]
    ) throws(ContainerError) {
        let failure = bytes.withUnsafeBytes { raw -> ContainerError? in
            do throws(ContainerError) {
                try write(kind, timestamp: timestamp, duration: duration, isKeyframe: isKeyframe, bytes: raw)
            } catch { return error }
            return nil
        }
        if let failure { throw failure }
    }

    /// Writes all buffered bytes to the sink, such as for a recorder whose source is silent.
    public func flush() throws(ContainerError) {
        guard pending.count > 0 else { return }
        let failure = pending.bytes.withUnsafeBytes { raw -> ContainerError? in
            do throws(ContainerError) { try sink.write(raw) } catch { return error }
            return nil
        }
        if let failure {
            // The bytes that were not written are dropped, because a retry might write them twice. The file can still
            // be closed properly.
            isBroken = true
            pending.removeAll()
            throw failure
        }
        flushedCount += Int64(pending.count)
        flushedEnd = end
        pending.removeAll()
    }

    /// Completes the file and closes the sink. Has no effect when called again. After a failed write the file is closed
    /// as it is, without Cues.
    public func finish() throws(ContainerError) {
        guard isOpen else { return }
        isOpen = false
        // Every step is tried, because the bytes on disk are worth closing properly.
        var failure: ContainerError?
        do throws(ContainerError) { try endCluster() } catch { failure = error }
        do throws(ContainerError) { try complete() } catch { failure = failure ?? error }
        do throws(ContainerError) { try sink.close() } catch { failure = failure ?? error }
        if let failure { throw failure }
    }

    private func complete() throws(ContainerError) {
        guard layout.isSeekable else { return }
        try writeSize(isLast: true)
        try writeRotation()
        // Tracks without frames are removed, because players would wait for them.
        if videoFrames == 0, audioFrames > 0 { try layout.removeTrack(.video, sink) }
        if audioFrames == 0, videoFrames > 0 { try layout.removeTrack(.audio, sink) }
        let cuesOffset = byteCount
        if !cues.isEmpty, !isBroken {
            pending.raw(WebMLayout.cues(cues.entries))
            do throws(ContainerError) { try flush() } catch {
                try layout.complete(sink, cuesOffset: nil, fileSize: byteCount)
                throw error
            }
        }
        try layout.complete(sink, cuesOffset: byteCount > cuesOffset ? cuesOffset : nil, fileSize: byteCount)
    }

    /// Writes the frame size if it is larger than the size in the header. `isLast` also writes a smaller one, if no
    /// frame had the configured size.
    private func writeSize(isLast: Bool = false) throws(ContainerError) {
        guard let frameSize, let old = headerSize, frameSize != old else { return }
        guard isLast || frameSize.width * frameSize.height > old.width * old.height else { return }
        try layout.writeSize(sink, width: frameSize.width, height: frameSize.height)
        headerSize = frameSize
    }

    private func writeRotation() throws(ContainerError) {
        guard !isRotationWritten else { return }
        try layout.writeRotation(sink, rotation)
        isRotationWritten = true
    }

    private func needsCluster(at time: Int64, isKeyframe: Bool) -> Bool {
        guard let cluster else { return true }
        let relative = time - cluster.timestamp
        // A block of the other track may be slightly before the cluster's time; block times are signed 16-bit.
        return relative >= configuration.clusterDuration.rawValue / 1_000_000 || relative < -30_000
            || (isKeyframe && relative >= Self.minimumCluster)
    }

    private func beginCluster(at time: Int64, cueTrack: Int?) throws(ContainerError) {
        try endCluster()
        let offset = byteCount
        pending.id(.cluster)
        pending.raw(EBMLBuffer.unknownSize)
        let bodyOffset = byteCount
        pending.unsigned(.timestamp, UInt64(time))
        cluster = OpenCluster(offset: offset, bodyOffset: bodyOffset, timestamp: time)
        if let cueTrack, layout.isSeekable {
            cues.append(WebMCue(time: time, track: cueTrack, clusterPosition: layout.segmentPosition(offset)))
        }
    }

    /// Writes the size of the cluster and the duration so far, also if the last blocks could not be written.
    private func endCluster() throws(ContainerError) {
        guard let open = cluster else { return }
        cluster = nil
        var failure: ContainerError?
        do throws(ContainerError) { try flush() } catch { failure = error }
        if layout.isSeekable, open.bodyOffset <= byteCount {
            try sink.overwrite(
                at: open.bodyOffset - 8, EBMLBuffer.sizeBytes(Int(byteCount - open.bodyOffset), width: 8))
            try layout.writeDuration(sink, milliseconds: flushedEnd)
            try writeSize()
            try writeRotation()
        }
        if let failure { throw failure }
    }
}
