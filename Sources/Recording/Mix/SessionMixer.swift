import CLinuxNet
import Codecs
import Containers
import Dispatch
import Foundation
import MediaBase

/// Mixes the recorded files of one session to one WebM file: one video of all participants with their names, and one audio track.
///
/// Files are read in step and decoded in parallel, one thread for each file at a time, while the previous frame is encoded. Memory holds a
/// decoder and a tile for each stream that was recorded at the same time, and does not depend on the duration.
///
/// ```swift
/// let mixer = try SessionMixer(folder: "recordings/lobby", output: "lobby.webm")
/// let report = try mixer.run()
/// ```
package final class SessionMixer {
    /// Time by which audio is mixed after it was read: tracks of a file are not exactly in order of time.
    private static let audioDelay: MediaTime = .milliseconds(250)
    /// Time by which the first frame of a file may precede the file's start, after the correction of its clock.
    private static let lead: MediaTime = .seconds(1)
    /// Pause of all streams that is left out of the work, and stays a pause of the output.
    private static let longPause: MediaTime = .seconds(15)
    /// Maximum time between two frames of the output while nothing changes.
    private static let stillInterval: MediaTime = .seconds(1)
    /// Seconds between key frames.
    private static let keyFrameSeconds = 5
    private static let maximumDuration: MediaTime = .seconds(31 * 86_400)

    private let folder: ComposeFolder
    private let output: String
    private let options: MixOptions
    private let decryptor: (RecordingEncryption) throws(ComposeError) -> RecordingDecryptor?
    private let plan: MixPlan
    private var report: ComposeReport
    private var sources: MixSources
    private var layout: MixLayout
    private var tiles: MixTiles
    private var mixer = AudioMixer()
    private let videoEncoder: VP8Encoder
    private let audioEncoder: OpusEncoder
    private var spans: [(start: MediaTime, end: MediaTime)?]
    private var lastAudio: Int64 = 0
    /// Frame of the canvas that has not been encoded.
    private var unencoded: MediaTime?
    private var lastFrame: MediaTime?
    private var steps = 0

    /// Reads the index and the headers of the recorded files.
    ///
    /// - Parameters: as those of `SessionComposer`; a file that was encrypted end to end, and for which `decryptor` returns nil, is
    ///   left out with a warning.
    /// - Throws: `ComposeError`.
    package init(
        folder path: String, output: String, options: MixOptions = MixOptions(), from: Int64? = nil, to: Int64? = nil,
        decryptor: @escaping (RecordingEncryption) throws(ComposeError) -> RecordingDecryptor? = { _ in nil }
    ) throws(ComposeError) {
        try options.validate()
        folder = try ComposeFolder(path, output: output, from: from, to: to)
        self.output = output
        self.options = options
        self.decryptor = decryptor
        plan = MixPlan(folder.files)
        sources = MixSources(plan, zero: folder.zero)
        spans = plan.files.map { _ in nil }
        layout = MixLayout(size: options.size, style: options.style)
        let font = NameFont(options.fonts)
        tiles = MixTiles(size: options.size, font: font)
        report = ComposeReport(output: output, session: folder.session)
        report.files = folder.reports
        report.warnings = folder.warnings
        report.mix = ComposeReport.Mix(
            layout: options.style.rawValue, width: options.size.width, height: options.size.height,
            framesPerSecond: options.framesPerSecond,
            sources: plan.sources.map { ComposeReport.Mix.Source(name: $0.name, isScreen: $0.isScreen) })
        if font == nil {
            report.warnings.append(
                ComposeReport.Warning(
                    file: output, code: .noFont,
                    message: "no font was found, so the video has no names; install fonts-dejavu-core or give --font"))
        }
        do throws(CodecError) {
            let processors = ProcessInfo.processInfo.activeProcessorCount
            videoEncoder = try VP8Encoder(
                VP8EncoderConfiguration(
                    width: options.size.width, height: options.size.height,
                    framesPerSecond: Double(options.framesPerSecond), bitrate: options.bitrate,
                    // The encoder is a job among those of the decoders; more threads only if there are more processors.
                    threads: max(1, min(4, processors / 2)),
                    keyFrameInterval: options.framesPerSecond * Self.keyFrameSeconds,
                    isErrorResilient: false, speed: 10))
            audioEncoder = try OpusEncoder(channels: 2, bitrate: .kilobits(96), complexity: 5)
        } catch { throw .encoder(error) }
    }

    /// Mixes the session and renames the result into place. On error nothing remains.
    ///
    /// - Parameters:
    ///   - isInterrupted: asked before each frame; `true` ends with `ComposeError.interrupted`.
    ///   - progress: called for each second of the session.
    /// - Throws: `ComposeError`.
    package func run(
        isInterrupted: () -> Bool = { false }, progress tell: ((FileDecoder.Progress) -> Void)? = nil
    ) throws(ComposeError) -> ComposeReport {
        let began = millrace_monotonic_ns()
        let decryptors = try decryptors()
        try ComposeFolder.replace(output) { sink throws(ComposeError) in
            let writer = try MixWriter(
                sink: sink, name: folder.session, size: options.size, preSkip: audioEncoder.lookahead,
                date: folder.zero.rawValue)
            try mix(to: writer, decryptors, isInterrupted, tell)
            try finish(writer)
        }
        let elapsed = Double(millrace_monotonic_ns() - began) / 1e9
        report.mix?.elapsed = elapsed
        report.mix?.speed = Double(steps) / Double(options.framesPerSecond) / max(elapsed, 1e-9)
        return report
    }

    /// Returns the decryptors of the encrypted files, and notes those files that cannot be decrypted.
    private func decryptors() throws(ComposeError) -> [Int: RecordingDecryptor] {
        var decryptors: [Int: RecordingDecryptor] = [:]
        var refused = 0
        for (index, file) in plan.files.enumerated() {
            guard let encryption = file.entry.encryption else { continue }
            if let opener = try decryptor(encryption) {
                decryptors[index] = opener
            } else {
                refused += 1
                report.warn(
                    file, .encrypted, "encrypted end to end, so it is not in the mix; give the secret with --secret")
            }
        }
        guard refused < plan.files.count else { throw .encrypted(files: refused) }
        return decryptors
    }

    private func mix(
        to writer: MixWriter, _ decryptors: [Int: RecordingDecryptor], _ isInterrupted: () -> Bool,
        _ tell: ((FileDecoder.Progress) -> Void)?
    ) throws(ComposeError) {
        let totalBytes = plan.files.reduce(0) { $0 + $1.byteCount }
        var finishedBytes: Int64 = 0
        var inputs: [MixInput] = []
        var next = 0
        var number: Int64 = 0
        var areas: [Int: MixRectangle] = [:]
        while true {
            if isInterrupted() { throw .interrupted }
            let now = options.time(ofFrame: number)
            while next < plan.files.count, plan.files[next].start - Self.lead <= folder.zero + now {
                if let input = open(next, decryptors) { inputs.append(input) }
                next += 1
            }
            guard !inputs.isEmpty || next < plan.files.count, now <= Self.maximumDuration else { break }
            try step(inputs, at: now, areas, writer)
            let finished = inputs.filter { $0.next == nil }
            finishedBytes += finished.reduce(0) { $0 + $1.file.byteCount }
            for input in finished { close(input, at: now) }
            inputs.removeAll { $0.next == nil }
            try mixAudio(until: now - Self.audioDelay, writer)
            areas = draw(at: now)
            steps += 1
            number = try following(number, inputs, next < plan.files.count ? plan.files[next].start : nil, writer)
            if let tell, steps % options.framesPerSecond == 0 {
                let done = inputs.reduce(finishedBytes) { $0 + $1.reader.position }
                tell(FileDecoder.Progress(bytes: done, totalBytes: totalBytes, frames: writer.videoFrames, time: now))
            }
        }
    }

    /// Decodes what is due, and encodes the previous frame at the same time.
    private func step(
        _ inputs: [MixInput], at now: MediaTime, _ areas: [Int: MixRectangle], _ writer: MixWriter
    ) throws(ComposeError) {
        let frame = unencoded
        unencoded = nil
        // Each iteration uses objects of its own, and this function continues after all of them.
        nonisolated(unsafe) var encoded: Result<EncodedVideoFrame?, CodecError> = .success(nil)
        nonisolated(unsafe) let (encoder, files) = (self, inputs)
        let whole = MixRectangle(x: 0, y: 0, width: options.size.width, height: options.size.height)
        let tolerance = MediaTime.nanoseconds(options.interval.rawValue / 2)
        DispatchQueue.concurrentPerform(iterations: inputs.count + 1) { index in
            // The encoder takes longest, so it begins first. No decoder touches the canvas.
            guard index > 0 else {
                if let frame { encoded = encoder.encode(at: frame) }
                return
            }
            let input = files[index - 1]
            // The first frame comes before the participant has a tile.
            let area = areas[input.source] ?? (input.span == nil ? whole : nil)
            input.run(until: now, tolerance: tolerance, area: area)
        }
        try write(encoded, at: frame, writer)
        for input in inputs where sources.begin(input, at: now) {
            for block in input.blocks {
                mixer.add(block.samples, at: block.start, of: input.reader.index)
                sources.note(block, of: input.source)
                lastAudio = max(lastAudio, min(block.end, mixer.position + AudioMixer.capacity))
            }
        }
    }

    private func encode(at time: MediaTime) -> Result<EncodedVideoFrame?, CodecError> {
        do throws(CodecError) {
            // 90 kHz.
            return .success(try videoEncoder.encode(tiles.canvas.frame, timestamp: time.rawValue / 100_000 * 9))
        } catch { return .failure(error) }
    }

    private func write(
        _ encoded: Result<EncodedVideoFrame?, CodecError>, at time: MediaTime?, _ writer: MixWriter
    ) throws(ComposeError) {
        guard let time else { return }
        switch encoded {
        case .success(let frame?): writer.add(frame, at: time, duration: options.interval)
        case .success(nil): break
        case .failure(let error): throw .encoder(error)
        }
    }

    private func mixAudio(until end: MediaTime, _ writer: MixWriter) throws(ComposeError) {
        let last = AudioMixer.sample(at: end)
        while mixer.position + Int64(AudioMixer.blockLength) <= last { try mixBlock(writer) }
        try writer.write(until: min(end, AudioMixer.time(of: mixer.position)))
    }

    private func mixBlock(_ writer: MixWriter) throws(ComposeError) {
        let time = AudioMixer.time(of: mixer.position)
        do throws(CodecError) { writer.add(audio: try audioEncoder.encode(mixer.take()), at: time) } catch {
            throw .encoder(error)
        }
    }

    /// Draws the tiles. Returns their areas by source.
    private func draw(at now: MediaTime) -> [Int: MixRectangle] {
        let areas = layout.tiles(sources.members(at: now), at: now)
        let isChanged = tiles.draw(areas) { sources.content(of: $0, at: now) }
        if isChanged || lastFrame.map({ now - $0 >= Self.stillInterval }) ?? true {
            unencoded = now
            lastFrame = now
        }
        return Dictionary(areas.map { ($0.id, $0.area) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the number of the next frame. A time in which nothing was recorded is left out.
    private func following(
        _ number: Int64, _ inputs: [MixInput], _ nextFile: MediaTime?, _ writer: MixWriter
    ) throws(ComposeError) -> Int64 {
        let now = options.time(ofFrame: number)
        var event = inputs.compactMap(\.next).min() ?? .never
        if let nextFile { event = min(event, nextFile - folder.zero) }
        guard event < .never, event - now > Self.longPause,
            // The end of what was recorded is encoded first.
            lastFrame.map({ now - $0 < options.interval }) ?? true, mixer.position >= lastAudio
        else { return number + 1 }
        if let frame = unencoded {
            unencoded = nil
            try write(encode(at: frame), at: frame, writer)
        }
        let resumed = options.frame(at: event - Self.lead)
        try writer.write(until: .never)
        let block = Int64(AudioMixer.blockLength)
        mixer.skip(to: AudioMixer.sample(at: options.time(ofFrame: resumed) - Self.audioDelay) / block * block)
        videoEncoder.requestKeyFrame()
        return max(number + 1, resumed)
    }

    /// Opens a file and reads its first frame; nil if it has none.
    private func open(_ index: Int, _ decryptors: [Int: RecordingDecryptor]) -> MixInput? {
        let file = plan.files[index]
        guard file.entry.encryption == nil || decryptors[index] != nil else { return nil }
        do throws(ContainerError) {
            let reader = try ComposeInput(file, index: index, decryptor: decryptors[index])
            try reader.advance()
            do throws(CodecError) {
                if reader.head != nil {
                    return try MixInput(reader, source: plan.sourceOfFile[index], zero: folder.zero)
                }
            } catch { report.warn(file, .unreadable, "no decoder: \(error)") }
            report.note(reader)
        } catch { report.warn(file, .unreadable, error.description) }
        return nil
    }

    private func close(_ input: MixInput, at now: MediaTime) {
        report.note(input.reader)
        if let failure = input.failure { report.warn(input.file, .damaged, failure.description) }
        let errors = (input.video?.errors ?? 0) + (input.audio?.errors ?? 0)
        if errors > 0 { report.warn(input.file, .damaged, "\(errors) frames and packets that cannot be decoded") }
        if input.misplaced > 0 {
            report.warn(input.file, .damaged, "\(input.misplaced) frames and packets whose times cannot be right")
        }
        let (frames, packets) = (input.video?.shown ?? 0, input.audio?.packets ?? 0)
        report.files[input.reader.index].frames = frames + packets
        report.mix?.sources[input.source].frames += frames
        report.mix?.sources[input.source].audioPackets += packets
        report.mix?.sources[input.source].errors += errors
        spans[input.reader.index] = input.span
        sources.end(input, at: now)
    }

    private func finish(_ writer: MixWriter) throws(ComposeError) {
        if let frame = unencoded {
            unencoded = nil
            try write(encode(at: frame), at: frame, writer)
        }
        while mixer.position < lastAudio { try mixBlock(writer) }
        guard spans.contains(where: { $0 != nil }) else { throw .noMedia(folder: folder.path, report) }
        var chapters = SessionChapters(folder.journal, zero: folder.zero, end: writer.duration)
        for (file, span) in zip(plan.files, spans) {
            guard let span else { continue }
            chapters.note(file.entry, start: max(.zero, span.start), end: max(.zero, span.end))
        }
        let all = chapters.chapters
        try writer.finish(chapters: all)
        report.chapters = all.map { ComposeReport.Chapter(time: $0.time.seconds, title: $0.title) }
        report.tracks = [
            ComposeReport.Track(number: 1, name: folder.session, kind: .video, codec: VideoCodec.vp8.rawValue),
            ComposeReport.Track(number: 2, name: folder.session, kind: .audio, codec: "Opus"),
        ]
        for (track, frames) in [writer.videoFrames, writer.audioPackets].enumerated() {
            report.tracks[track].files = plan.files.count
            report.tracks[track].frames = frames
            report.tracks[track].start = 0
            report.tracks[track].end = writer.duration.seconds
        }
        report.bytes = writer.byteCount
        report.duration = writer.duration.seconds
    }
}
