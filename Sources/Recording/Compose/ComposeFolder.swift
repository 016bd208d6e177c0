import Containers
import Foundation
import MediaBase

/// The recorded files of a session's folder that make one file of the session, in order of start.
struct ComposeFolder {
    /// Maximum number of recorded files of a session.
    static let maximumFiles = 20_000
    /// Minimum pause between two files that is probably the end of a meeting: a session of the same name uses the same folder.
    private static let longPause: MediaTime = .seconds(3_600)
    /// Assumed maximum duration of a file whose duration is not known, such as after a crash.
    private static let longestOpenFile: MediaTime = .seconds(86_400)
    /// Time before the first frame for which journals are read: a recording begins with a key frame, for which it waits.
    private static let journalLead: MediaTime = .seconds(10)

    let path: String
    let session: String
    private(set) var files: [ComposeFile] = []
    /// What happened beside the media, in order of time.
    private(set) var journal: [JournalEntry] = []
    private(set) var warnings: [ComposeReport.Warning] = []

    /// Reads the index and the headers of the recorded files.
    ///
    /// - Parameters:
    ///   - output: path of the new file.
    ///   - from, to: first and last start of the files that are used, in nanoseconds since 1970.
    /// - Throws: `ComposeError`.
    init(_ path: String, output: String, from: Int64?, to: Int64?) throws(ComposeError) {
        self.path = path
        let index = try RecordingIndex.read(folder: path)
        session = index.session
        let entries = index.files.filter { entry in
            entry.startUnixNanoseconds >= from ?? .min && entry.startUnixNanoseconds <= to ?? .max
        }
        guard entries.count <= Self.maximumFiles else {
            throw .tooManyFiles(count: entries.count, limit: Self.maximumFiles)
        }
        open(entries)
        guard !files.isEmpty else {
            var report = ComposeReport(output: output, session: session)
            report.warnings = warnings
            throw .noMedia(folder: path, report)
        }
        files.sort { $0.start < $1.start }
        guard !files.contains(where: { Self.isSameFile($0.path, output) }) else {
            throw .outputIsRecording(path: output)
        }
        noteClocks()
        readJournal()
    }

    /// Relay time of the output's time zero, since 1970.
    var zero: MediaTime { files.first?.start ?? .zero }

    /// Entries of the report for the files.
    var reports: [ComposeReport.File] {
        files.map { file in
            ComposeReport.File(
                file: file.entry.file, offset: (file.start - zero).seconds,
                driftPPM: file.correction.isEmpty ? nil : (file.correction.drift * 1e7).rounded() / 10)
        }
    }

    /// Creates the file that becomes the output; removes the rest of a killed run.
    static func temporaryFile(_ path: String) throws(ComposeError) -> FileSink {
        if let old = try? FileSource(path: path) {
            if old.isBeingWritten { throw .busy(path: path) }
            unlink(path)
        }
        do throws(ContainerError) {
            return try FileSink(path: path, exclusive: true, mode: RecordingFolder.fileMode)
        } catch { throw .output(error) }
    }

    /// Calls `body` with a sink beside the output, and renames the result into place. On error nothing remains.
    static func replace(_ output: String, _ body: (FileSink) throws(ComposeError) -> Void) throws(ComposeError) {
        let temporary = output + ".part"
        let sink = try temporaryFile(temporary)
        do throws(ComposeError) {
            try body(sink)
            guard rename(temporary, output) == 0 else {
                throw .output(ContainerError(.file, output, .io(code: errno, call: "rename")))
            }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// Opens the recorded files of an index for a moment, and notes those that cannot be used.
    private mutating func open(_ entries: [RecordingIndex.Entry]) {
        for (number, entry) in entries.enumerated() {
            // An index from elsewhere cannot name files outside of its folder.
            guard !entry.file.isEmpty, !entry.file.contains("/"), !entry.file.contains("\0"), entry.file != ".." else {
                warn(entry, .invalidName, "not a plain file name")
                continue
            }
            do throws(ContainerError) {
                let file = try ComposeFile(entry, number: number, path: path + "/" + entry.file)
                if file.sources.isEmpty {
                    warn(entry, .noMedia, "no video in a known codec, and no Opus audio")
                } else {
                    files.append(file)
                }
            } catch {
                warn(entry, .unreadable, error.description)
            }
        }
    }

    /// Notes files without clock points, and long pauses between files.
    private mutating func noteClocks() {
        for file in files where file.correction.isEmpty {
            warn(
                file.entry, .noClock,
                "the index has no clock points: the drift of the publisher's clock is not corrected")
        }
        var end = zero
        for file in files {
            if file.start - end > Self.longPause {
                warn(
                    file.entry, .longPause,
                    "nothing was recorded for \(Int((file.start - end).seconds / 60)) minutes before this file; "
                        + "--from \(file.entry.start) composes what follows")
            }
            end = max(end, file.end)
        }
    }

    /// Reads the journals of the days of the files. Without them the media is composed all the same.
    private mutating func readJournal() {
        let faults: [JournalFault]
        let end = files.reduce(zero) { max($0, $1.end) } + Self.longestOpenFile
        (journal, faults) = JournalFile.read(
            folder: path, from: (zero - Self.journalLead).rawValue / 1_000_000, to: end.rawValue / 1_000_000)
        warnings += faults.map { ComposeReport.Warning(file: $0.file, code: .journal, message: $0.text) }
    }

    private mutating func warn(
        _ entry: RecordingIndex.Entry, _ code: ComposeReport.Warning.Code, _ message: String
    ) {
        warnings.append(ComposeReport.Warning(file: entry.file, code: code, message: message))
    }

    private static func isSameFile(_ a: String, _ b: String) -> Bool {
        var (first, second) = (stat(), stat())
        guard stat(a, &first) == 0, stat(b, &second) == 0 else { return false }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }
}
