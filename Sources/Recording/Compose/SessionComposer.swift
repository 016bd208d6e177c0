import Codecs
import Containers
import Foundation
import MediaBase

/// Writes the recorded files of one session as one Matroska file, without transcoding: a track for each publisher's audio and video, all on
/// the relay's clock, with chapters.
///
/// Files are opened when their time comes and closed at their end, and their frames are merged by time, so memory holds one frame and one
/// read buffer (256 KiB) for each stream that was recorded at the same time.
///
/// ```swift
/// let composer = try SessionComposer(folder: "recordings/lobby", output: "lobby.mkv")
/// let report = try composer.run()
/// ```
package final class SessionComposer {
    /// Maximum number of recorded files of a session.
    static let maximumFiles = 20_000
    /// Time by which the first frame of a file may precede the file's start, after the correction of its clock.
    private static let lead: MediaTime = .seconds(1)
    /// Maximum delay of a video frame whose time is not after the previous one of its track.
    private static let maximumDelay: MediaTime = .seconds(1)
    /// Frames after this time of the session are damage.
    private static let maximumDuration: MediaTime = .seconds(31 * 86_400)
    /// Minimum pause between two files that is probably the end of a meeting: a session of the same name uses the same folder.
    private static let longPause: MediaTime = .seconds(3_600)
    /// Minimum time between two frames of a track, whose times are in milliseconds.
    private static let tick: MediaTime = .milliseconds(1)

    /// Progress of a track of the output.
    private struct TrackProgress {
        var last: MediaTime?
        /// File that feeds the track. Frames of earlier files that overlap it are dropped, because video of two encoders cannot be mixed.
        var file = -1
        var frameDuration: MediaTime = .milliseconds(20)
    }

    private let folder: String
    private let output: String
    private let decryptor: (RecordingEncryption) throws(ComposeError) -> RecordingDecryptor?
    private let plan: SessionPlan
    private var report: ComposeReport
    private var progress: [TrackProgress]
    private var chapters = SessionChapters()
    /// First and last frame of each file.
    private var spans: [(start: MediaTime, end: MediaTime)?]
    /// Relay time of the output's time zero, since 1970.
    private let zero: MediaTime

    /// Reads the index and the headers of the recorded files.
    ///
    /// - Parameters:
    ///   - folder: a session's folder with `index.json`.
    ///   - output: path of the new file, which is replaced when the composition is complete.
    ///   - from, to: first and last start of the files that are used, in nanoseconds since 1970.
    ///   - decryptor: called for each file that was encrypted end to end; nil refuses the session.
    /// - Throws: `ComposeError`.
    package init(
        folder: String, output: String, from: Int64? = nil, to: Int64? = nil,
        decryptor: @escaping (RecordingEncryption) throws(ComposeError) -> RecordingDecryptor? = { _ in nil }
    ) throws(ComposeError) {
        self.folder = folder
        self.output = output
        self.decryptor = decryptor
        let index = try RecordingIndex.read(folder: folder)
        var report = ComposeReport(output: output, session: index.session)
        let entries = index.files.filter { entry in
            entry.startUnixNanoseconds >= from ?? .min && entry.startUnixNanoseconds <= to ?? .max
        }
        guard entries.count <= Self.maximumFiles else {
            throw .tooManyFiles(count: entries.count, limit: Self.maximumFiles)
        }
        let files = Self.files(entries, in: folder, &report)
        guard !files.isEmpty else { throw .noMedia(folder: folder, report) }
        plan = SessionPlan(files)
        guard plan.tracks.count <= MatroskaWriter.maximumTracks else {
            throw .tooManyTracks(count: plan.tracks.count, limit: MatroskaWriter.maximumTracks)
        }
        guard !files.contains(where: { Self.isSameFile($0.path, output) }) else {
            throw .outputIsRecording(path: output)
        }
        zero = plan.files.first?.start ?? .zero
        progress = plan.tracks.map { _ in TrackProgress() }
        spans = plan.files.map { _ in nil }
        report.tracks = plan.tracks.enumerated().map { index, track in
            ComposeReport.Track(
                number: index + 1, name: track.header.name, kind: track.header.kind, codec: track.codecName,
                participant: track.participant, files: track.files)
        }
        report.files = plan.files.map { [zero] file in
            ComposeReport.File(
                file: file.entry.file, offset: (file.start - zero).seconds,
                driftPPM: file.correction.isEmpty ? nil : (file.correction.drift * 1e7).rounded() / 10)
        }
        self.report = report
        for file in plan.files where file.correction.isEmpty {
            warn(file, .noClock, "the index has no clock points: the drift of the publisher's clock is not corrected")
        }
        var end = zero
        for file in plan.files {
            if file.start - end > Self.longPause {
                warn(
                    file, .longPause,
                    "nothing was recorded for \(Int((file.start - end).seconds / 60)) minutes before this file; "
                        + "--from \(file.entry.start) composes what follows")
            }
            end = max(end, file.end)
        }
    }

    /// Composes the session and renames the result into place. On error nothing remains.
    ///
    /// - Parameters:
    ///   - isInterrupted: asked before each frame; `true` ends with `ComposeError.interrupted`.
    ///   - progress: called about every 2 MiB of input.
    /// - Throws: `ComposeError`.
    package func run(
        isInterrupted: () -> Bool = { false }, progress tell: ((FileDecoder.Progress) -> Void)? = nil
    ) throws(ComposeError) -> ComposeReport {
        // Asked before anything is written.
        var decryptors: [Int: RecordingDecryptor] = [:]
        let sealed = plan.files.indices.filter { plan.files[$0].entry.encryption != nil }
        for index in sealed {
            guard let encryption = plan.files[index].entry.encryption else { continue }
            guard let opener = try decryptor(encryption) else { throw .encrypted(files: sealed.count) }
            decryptors[index] = opener
        }
        let temporary = output + ".part"
        let sink = try Self.temporaryFile(temporary)
        do throws(ComposeError) {
            try compose(into: sink, decryptors, isInterrupted, tell)
            guard rename(temporary, output) == 0 else {
                throw .output(ContainerError(.file, output, .io(code: errno, call: "rename")))
            }
        } catch {
            unlink(temporary)
            throw error
        }
        return report
    }

    private func compose(
        into sink: FileSink, _ decryptors: [Int: RecordingDecryptor], _ isInterrupted: () -> Bool,
        _ tell: ((FileDecoder.Progress) -> Void)?
    ) throws(ComposeError) {
        let writer: MatroskaWriter
        do throws(ContainerError) {
            writer = try MatroskaWriter(sink: sink, tracks: plan.tracks.map(\.header), date: zero.rawValue)
        } catch { throw .output(error) }
        let totalBytes = plan.files.reduce(0) { $0 + $1.byteCount }
        var inputs: [ComposeInput] = []
        var next = 0
        var finishedBytes: Int64 = 0
        var toldAt: Int64 = 0
        var frames = 0
        while true {
            if isInterrupted() { throw .interrupted }
            var earliest = inputs.indices.min { Self.time(inputs[$0]) < Self.time(inputs[$1]) }
            while next < plan.files.count,
                earliest.map({ plan.files[next].start - Self.lead <= Self.time(inputs[$0]) }) ?? true
            {
                if let input = open(next, decryptors[next]) { inputs.append(input) }
                next += 1
                earliest = inputs.indices.min { Self.time(inputs[$0]) < Self.time(inputs[$1]) }
            }
            guard let earliest else { break }
            let input = inputs[earliest]
            if let head = input.head {
                try write(head, of: input.index, to: writer)
                frames += 1
            }
            do throws(ContainerError) { try input.advance() } catch { warn(input.file, .damaged, error.description) }
            if input.head == nil {
                finishedBytes += input.file.byteCount
                inputs.remove(at: earliest)
                close(input)
            }
            if let tell, frames % 256 == 0 {
                let done = inputs.reduce(finishedBytes) { $0 + $1.position }
                if done - toldAt >= 2 << 20 {
                    toldAt = done
                    tell(
                        FileDecoder.Progress(
                            bytes: done, totalBytes: totalBytes, frames: frames, time: writer.duration))
                }
            }
        }
        try finish(writer)
    }

    private static func time(_ input: ComposeInput) -> MediaTime { input.head?.time ?? .never }

    /// Opens a file and reads its first frame; nil if it has none.
    private func open(_ index: Int, _ decryptor: RecordingDecryptor?) -> ComposeInput? {
        let file = plan.files[index]
        do throws(ContainerError) {
            let input = try ComposeInput(file, index: index, decryptor: decryptor)
            try input.advance()
            if input.head != nil { return input }
            close(input)
        } catch {
            warn(file, .unreadable, error.description)
        }
        return nil
    }

    private func close(_ input: ComposeInput) {
        report.files[input.index].isBeingWritten = input.isBeingWritten
        report.files[input.index].undecryptable = input.undecryptable
        if input.undecryptable > 0 {
            warn(input.file, .undecryptable, "\(input.undecryptable) frames and packets that the secret does not open")
        }
        // The incomplete end of a growing file is not damage.
        let damage = input.damage
        let expected = input.isBeingWritten && input.isCutOff ? 1 : 0
        if damage.count > expected, let first = damage.notes.first {
            let more = damage.count > 1 ? " and \(damage.count - 1) more places" : ""
            warn(input.file, .damaged, "\(first)\(more)")
        }
    }

    private func write(
        _ head: ComposeInput.Head, of file: Int, to writer: MatroskaWriter
    ) throws(ComposeError) {
        var track = progress[head.track]
        var time = max(.zero, head.time - zero)
        let earliest = track.last.map { $0 + Self.tick } ?? .zero
        let isLate = time < earliest && (head.kind == .audio || earliest - time > Self.maximumDelay)
        guard file >= track.file, !isLate, time <= Self.maximumDuration else {
            report.tracks[head.track].droppedFrames += 1
            return
        }
        time = max(time, earliest)
        if head.kind == .audio {
            let info = head.bytes.withUnsafeBytes { try? OpusPacketInfo($0) }
            track.frameDuration = info?.duration ?? .milliseconds(20)
        } else if let last = track.last, time - last < .seconds(1) {
            track.frameDuration = time - last
        }
        do throws(ContainerError) {
            try writer.write(
                track: head.track, timestamp: time, duration: track.frameDuration, isKeyframe: head.isKeyFrame,
                bytes: head.bytes)
        } catch { throw .output(error) }
        track.last = time
        track.file = file
        progress[head.track] = track
        let end = time + track.frameDuration
        spans[file] = (spans[file]?.start ?? time, max(spans[file]?.end ?? end, end))
        report.files[file].frames += 1
        report.tracks[head.track].frames += 1
        report.tracks[head.track].start = report.tracks[head.track].start ?? time.seconds
        report.tracks[head.track].end = end.seconds
    }

    private func finish(_ writer: MatroskaWriter) throws(ComposeError) {
        for (file, span) in zip(plan.files, spans) {
            guard let span else { continue }
            chapters.note(
                publisher: SessionPlan.publisher(of: file.entry), name: SessionPlan.name(of: file.entry),
                start: span.start, end: span.end)
        }
        let all = chapters.chapters
        guard !all.isEmpty else { throw .noMedia(folder: folder, report) }
        do throws(ContainerError) { try writer.finish(chapters: all) } catch { throw .output(error) }
        report.chapters = all.map { ComposeReport.Chapter(time: $0.time.seconds, title: $0.title) }
        report.bytes = writer.byteCount
        report.duration = writer.duration.seconds
    }

    private func warn(_ file: ComposeFile, _ code: ComposeReport.Warning.Code, _ message: String) {
        report.warnings.append(ComposeReport.Warning(file: file.entry.file, code: code, message: message))
    }

    /// Opens the recorded files of an index for a moment, and notes those that cannot be used.
    private static func files(
        _ entries: [RecordingIndex.Entry], in folder: String, _ report: inout ComposeReport
    ) -> [ComposeFile] {
        var files: [ComposeFile] = []
        for entry in entries {
            func skip(_ code: ComposeReport.Warning.Code, _ message: String) {
                report.warnings.append(ComposeReport.Warning(file: entry.file, code: code, message: message))
            }
            // An index from elsewhere cannot name files outside of its folder.
            guard !entry.file.isEmpty, !entry.file.contains("/"), !entry.file.contains("\0"), entry.file != ".." else {
                skip(.invalidName, "not a plain file name")
                continue
            }
            do throws(ContainerError) {
                let file = try ComposeFile(entry, path: folder + "/" + entry.file)
                if file.sources.isEmpty {
                    skip(.noMedia, "no video in a known codec, and no Opus audio")
                } else {
                    files.append(file)
                }
            } catch {
                skip(.unreadable, error.description)
            }
        }
        return files
    }

    /// Creates the file that becomes the output; removes the rest of a killed run.
    private static func temporaryFile(_ path: String) throws(ComposeError) -> FileSink {
        if let old = try? FileSource(path: path) {
            if old.isBeingWritten { throw .busy(path: path) }
            unlink(path)
        }
        do throws(ContainerError) {
            return try FileSink(path: path, exclusive: true, mode: RecordingFolder.fileMode)
        } catch { throw .output(error) }
    }

    private static func isSameFile(_ a: String, _ b: String) -> Bool {
        var (first, second) = (stat(), stat())
        guard stat(a, &first) == 0, stat(b, &second) == 0 else { return false }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }
}
