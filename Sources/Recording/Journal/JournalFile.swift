import Foundation
import Glibc

/// `journal.jsonl` of a session's folder: one `JournalEntry` as JSON in each line, oldest first.
package enum JournalFile {
    package static let name = "journal.jsonl"
    /// Maximum size of a file, for writers and readers: some 200,000 messages.
    package static let maximumBytes = 64 << 20
    /// Maximum size of a line. A chat message has at most 8 KiB, each byte of which JSON can write as six.
    static let maximumLine = 64 << 10

    /// Appends a line. The file is opened for each line, so that a folder can be moved away at any time.
    ///
    /// - Returns: false if the file is full.
    static func append(_ entry: JournalEntry, folder: String) throws(RecordingError) -> Bool {
        let path = folder + "/" + name
        try RecordingFolder.create(folder)
        guard var line = try? JSONEncoder().encode(entry) else { return true }
        let descriptor = open(
            path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK,
            mode_t(RecordingFolder.fileMode))
        guard descriptor >= 0 else { throw failure(path, errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(path, errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw failure(path, EINVAL) }
        guard status.st_size < maximumBytes - line.count - 2 else { return false }
        // What a full disk cut off stays a line of its own.
        if status.st_size > 0 { line.insert(UInt8(ascii: "\n"), at: 0) }
        let count = line.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard count == line.count else { throw failure(path, count < 0 ? errno : ENOSPC) }
        return true
    }

    /// Reads the entries of a folder, in order of time. There is no journal if nothing happened.
    ///
    /// - Returns: the entries, and the number of lines that are none.
    package static func read(folder: String) throws(RecordingError) -> (entries: [JournalEntry], unreadable: Int) {
        let path = folder + "/" + name
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return ([], 0) }
            throw failure(path, errno)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(path, errno) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= maximumBytes else { throw failure(path, EFBIG) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
        guard let data = try? handle.read(upToCount: maximumBytes) else { return ([], 0) }
        return parse(data)
    }

    static func parse(_ data: Data) -> (entries: [JournalEntry], unreadable: Int) {
        var entries: [JournalEntry] = []
        var unreadable = 0
        let decoder = JSONDecoder()
        for line in data.split(separator: UInt8(ascii: "\n")) {
            if line.count <= maximumLine, let entry = try? decoder.decode(JournalEntry.self, from: line) {
                entries.append(entry)
            } else {
                unreadable += 1
            }
        }
        entries.sort { $0.time < $1.time }
        return (entries, unreadable)
    }

    private static func failure(_ path: String, _ code: Int32) -> RecordingError {
        .directory(path: path, code: code, reason: String(cString: strerror(code)))
    }
}
