import Foundation
import Glibc
import MediaBase

/// Journals of a session's folder, one for each day (UTC) on which something happened: `journal-20260801.jsonl`, with one `JournalEntry` as JSON
/// in each line.
package enum JournalFile {
    private static let prefix = "journal-"
    private static let suffix = ".jsonl"
    /// Maximum size of a file, for writers and readers: some 200,000 messages.
    package static let maximumBytes = 64 << 20
    /// Maximum number of files that are read: those of a year.
    private static let maximumFiles = 366
    /// Maximum size of a line. A chat message has at most 8 KiB, each byte of which JSON can write as six.
    static let maximumLine = 64 << 10
    /// Maximum number of lines, and of participants in them, that are read of all files.
    static let maximumEntries = 1_000_000

    /// Returns the name of the file for a time in milliseconds since 1970.
    package static func name(at time: Int64) -> String {
        let (nanoseconds, isTooLarge) = time.multipliedReportingOverflow(by: 1_000_000)
        let day = UTCTime(unixNanoseconds: isTooLarge ? 0 : nanoseconds).basic.prefix(8)
        return prefix + day + suffix
    }

    /// Appends a line. The file is opened for each line, so that a folder can be moved away at any time.
    ///
    /// - Returns: false if the file is full.
    static func append(_ entry: JournalEntry, folder: String) throws(RecordingError) -> Bool {
        let path = folder + "/" + name(at: entry.time)
        try RecordingFolder.create(folder)
        guard var line = try? JSONEncoder().encode(entry) else { return true }
        line.append(UInt8(ascii: "\n"))
        let mode = mode_t(RecordingFolder.fileMode)
        let descriptor = open(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, mode)
        guard descriptor >= 0 else { throw failure(path, errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(path, errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw failure(path, EINVAL) }
        guard status.st_size < maximumBytes - line.count - 1 else { return false }
        if status.st_size == 0 {
            // Sets the permissions regardless of the umask.
            guard fchmod(descriptor, mode) == 0 else { throw failure(path, errno) }
        } else {
            var last: UInt8 = 0
            guard pread(descriptor, &last, 1, status.st_size - 1) == 1 else { throw failure(path, errno) }
            // What a full disk cut off stays a line of its own.
            if last != UInt8(ascii: "\n") { line.insert(UInt8(ascii: "\n"), at: 0) }
        }
        let count = line.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard count == line.count else { throw failure(path, count < 0 ? errno : ENOSPC) }
        return true
    }

    /// Returns the maximum number of bytes of a participant in a line: JSON can write a byte as six.
    static func lineBytes(of participant: RecordingSource.Participant) -> Int {
        let texts = [participant.id, participant.name, participant.identity ?? ""]
        return texts.reduce(64) { $0 + 6 * $1.utf8.count }
    }

    /// Reads the journals of some days, in order of time. Entries of the same time stay in the order in which they were written. There is
    /// none if nothing happened.
    ///
    /// - Parameters:
    ///   - first, last: times in milliseconds since 1970, on the first and last day.
    ///   - limit: maximum number of lines, and of participants in them; the rest is a fault.
    /// - Returns: the entries, and what cannot be read: files, and lines of others.
    static func read(
        folder: String, from first: Int64, to last: Int64, limit: Int = maximumEntries
    ) -> (entries: [JournalEntry], faults: [JournalFault]) {
        let days = name(at: first)...max(name(at: first), name(at: last))
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
            .filter { $0.hasPrefix(prefix) && $0.hasSuffix(suffix) && days.contains($0) }.sorted()
        var entries: [JournalEntry] = []
        var faults: [JournalFault] = []
        var room = limit
        for name in names.prefix(maximumFiles) {
            do throws(RecordingError) {
                let read = parse(try contents(folder + "/" + name), room: &room)
                entries += read.entries
                if read.unreadable > 0 { faults.append(.lines(read.unreadable, file: name)) }
                guard room >= 0 else {
                    faults.append(.tooMany(limit: limit, file: name))
                    break
                }
            } catch { faults.append(.file(name, error)) }
        }
        let order = entries.indices.sorted { (entries[$0].time, $0) < (entries[$1].time, $1) }
        return (order.map { entries[$0] }, faults)
    }

    private static func contents(_ path: String) throws(RecordingError) -> Data {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure(path, errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(path, errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw failure(path, EINVAL) }
        guard status.st_size <= maximumBytes else { throw failure(path, EFBIG) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
        do { return try handle.read(upToCount: maximumBytes) ?? Data() } catch { throw failure(path, EIO) }
    }

    /// - Parameter room: number of lines, and of participants in them, that may be read; negative after more of them.
    static func parse(_ data: Data, room: inout Int) -> (entries: [JournalEntry], unreadable: Int) {
        var entries: [JournalEntry] = []
        var unreadable = 0
        let decoder = JSONDecoder()
        var rest = data[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
            let line = rest[..<end]
            rest = rest[min(end + 1, rest.endIndex)...]
            guard !line.isEmpty else { continue }
            let entry = line.count <= maximumLine ? try? decoder.decode(JournalEntry.self, from: line) : nil
            let participants = entry?.participants?.count ?? 0
            room -= 1 + participants
            guard room >= 0 else { break }
            if let entry, participants <= JournalEntry.maximumParticipants {
                entries.append(entry)
            } else {
                unreadable += 1
            }
        }
        return (entries, unreadable)
    }

    private static func failure(_ path: String, _ code: Int32) -> RecordingError {
        .directory(path: path, code: code, reason: String(cString: strerror(code)))
    }
}
