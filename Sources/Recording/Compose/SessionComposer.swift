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
    /// Time by which the first frame of a file may precede the file's start, after the correction of its clock.
    private static let lead: MediaTime = .seconds(1)
    /// Maximum delay of a video frame whose time is not after the previous one of its track.
    private static let maximumDelay: MediaTime = .seconds(1)
    /// Frames after this time of the session are damage.
    private static let maximumDuration: MediaTime = .seconds(31 * 86_400)
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
    private let journal: [JournalEntry]
    private var chat: SessionChat
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
        let opened = try ComposeFolder(folder, output: output, from: from, to: to)
        plan = SessionPlan(opened.files)
        guard plan.tracks.count <= MatroskaWriter.maximumTracks else {
            throw .tooManyTracks(count: plan.tracks.count, limit: MatroskaWriter.maximumTracks)
        }
        zero = opened.zero
        journal = opened.journal
        let isOpen = opened.files.contains { $0.duration == .zero }
        let end = opened.files.reduce(zero) { max($0, $1.end) }
        chat = SessionChat(journal, zero: zero, end: isOpen ? .never : end - zero)
        report = ComposeReport(output: output, session: opened.session)
        report.files = opened.reports
        report.warnings = opened.warnings
        progress = plan.tracks.map { _ in TrackProgress() }
        spans = plan.files.map { _ in nil }
        report.tracks = plan.tracks.enumerated().map { index, track in
            ComposeReport.Track(
                number: index + 1, name: track.header.name, kind: track.header.kind, codec: track.codecName,
                participant: track.participant, files: track.files)
        }
        if !chat.isEmpty { report.chat = ComposeReport.Chat(track: plan.tracks.count + 1) }
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
        try ComposeFolder.replace(output) { sink throws(ComposeError) in
            try compose(into: sink, decryptors, isInterrupted, tell)
        }
        return report
    }

    private func compose(
        into sink: FileSink, _ decryptors: [Int: RecordingDecryptor], _ isInterrupted: () -> Bool,
        _ tell: ((FileDecoder.Progress) -> Void)?
    ) throws(ComposeError) {
        let writer: MatroskaWriter
        do throws(ContainerError) {
            writer = try MatroskaWriter(
                sink: sink, tracks: plan.tracks.map(\.header), subtitles: chat.isEmpty ? nil : SessionChat.trackName,
                date: zero.rawValue)
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
            do throws(ContainerError) { try input.advance() } catch {
                report.warn(input.file, .damaged, error.description)
            }
            if input.head == nil {
                finishedBytes += input.file.byteCount
                inputs.remove(at: earliest)
                report.note(input)
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
            report.note(input)
        } catch {
            report.warn(file, .unreadable, error.description)
        }
        return nil
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
        if !isReordered(head, at: time, in: file, track) { time = max(time, earliest) }
        try writeChat(until: time, to: writer)
        if head.kind == .audio {
            let info = head.bytes.withUnsafeBytes { try? OpusPacketInfo($0) }
            track.frameDuration = info?.duration ?? .milliseconds(20)
        } else if let last = track.last, time > last, time - last < .seconds(1) {
            track.frameDuration = time - last
        }
        do throws(ContainerError) {
            try writer.write(
                track: head.track, timestamp: time, duration: track.frameDuration, isKeyframe: head.isKeyFrame,
                bytes: head.bytes)
        } catch { throw .output(error) }
        track.last = max(time, track.last ?? time)
        track.file = file
        progress[head.track] = track
        let end = time + track.frameDuration
        spans[file] = (spans[file]?.start ?? time, max(spans[file]?.end ?? end, end))
        report.files[file].frames += 1
        report.tracks[head.track].frames += 1
        report.tracks[head.track].start = report.tracks[head.track].start ?? time.seconds
        report.tracks[head.track].end = end.seconds
    }

    /// Returns whether a frame is shown before the previous one of its file, as B frames of H.264 are: frames are in the order of decoding.
    private func isReordered(
        _ head: ComposeInput.Head, at time: MediaTime, in file: Int, _ track: TrackProgress
    ) -> Bool {
        guard case .video(.h264, _, _, _) = plan.tracks[head.track].header.media, let last = track.last else {
            return false
        }
        return file == track.file && !head.isKeyFrame && time < last
    }

    /// Writes the messages up to a time of the output.
    private func writeChat(until time: MediaTime, to writer: MatroskaWriter) throws(ComposeError) {
        while let line = chat.next(until: time) {
            do throws(ContainerError) {
                try writer.write(subtitle: line.text, timestamp: line.time, duration: line.duration)
            } catch { throw .output(error) }
            report.chat?.messages += 1
        }
    }

    private func finish(_ writer: MatroskaWriter) throws(ComposeError) {
        try writeChat(until: writer.duration, to: writer)
        guard spans.contains(where: { $0 != nil }) else { throw .noMedia(folder: folder, report) }
        var chapters = SessionChapters(journal, zero: zero, end: writer.duration)
        for (file, span) in zip(plan.files, spans) {
            guard let span else { continue }
            chapters.note(file.entry, start: span.start, end: span.end)
        }
        let all = chapters.chapters
        do throws(ContainerError) { try writer.finish(chapters: all) } catch { throw .output(error) }
        report.chapters = all.map { ComposeReport.Chapter(time: $0.time.seconds, title: $0.title) }
        report.bytes = writer.byteCount
        report.duration = writer.duration.seconds
    }
}
