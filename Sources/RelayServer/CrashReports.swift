import Foundation

/// Crash reports of one directory. Each run holds a file open for its report from the start, because a process that crashes may be unable
/// to open one. The file's suffix tells its state:
/// - `.open`: belongs to a running relay, which holds a lock on it, or is left over from one that was killed
/// - `.new`: has a report that no later start has logged yet
/// - `.txt`: has a report that a later start has logged
struct CrashReports: Sendable, Equatable {
    /// Maximum number of reports; the oldest are removed when a relay starts.
    static let maximumCount = 16
    private static let prefix = "crash-"
    private static let open = ".open"
    private static let new = ".new"
    private static let read = ".txt"

    /// The file for the report of this run.
    struct File: Sendable {
        /// Descriptor of the directory.
        let directory: Int32
        let descriptor: Int32
        let openName: String
        let readyName: String
    }

    private let directory: URL

    init(directory: String) {
        self.directory = URL(filePath: directory, directoryHint: .isDirectory)
    }

    /// Paths of all reports, oldest first.
    var paths: [String] { paths(Self.new, Self.read) }

    /// Returns the reports that no start has logged yet, oldest first, and marks them as logged. Also completes files
    /// left by killed processes, and removes the oldest reports beyond the limit.
    func takeNew() -> [String] {
        for path in paths(Self.open) { recover(path) }
        let taken = paths(Self.new).map { rename($0, Self.read) }
        for path in paths.dropLast(Self.maximumCount) { unlink(path) }
        return taken.filter { access($0, F_OK) == 0 }
    }

    /// Opens the file of this run, readable only by this user; creates the directory if it is missing.
    func begin(now: Date = Date(), process: Int32 = getpid()) throws(RelayError) -> File {
        do {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .crashDirectory(path: directory.path, reason: error.localizedDescription)
        }
        let folder = Glibc.open(directory.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw failure }
        let name = "\(Self.prefix)\(Self.stamp(now))-\(process)"
        let file = openat(folder, name + Self.open, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0, flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let failure = failure
            close(folder)
            if file >= 0 { close(file) }
            throw failure
        }
        return File(directory: folder, descriptor: file, openName: name + Self.open, readyName: name + Self.new)
    }

    /// Removes the file of a run that ended without a crash.
    func end(_ file: File) { unlinkat(file.directory, file.openName, 0) }

    private var failure: RelayError { .crashDirectory(path: directory.path, reason: String(cString: strerror(errno))) }

    /// Returns a time such as 20261122T190839Z, which sorts chronologically as text.
    private static func stamp(_ date: Date) -> String {
        var seconds = time_t(date.timeIntervalSince1970)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func digits(_ value: Int32, _ count: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        return digits(parts.tm_year + 1900, 4) + digits(parts.tm_mon + 1, 2) + digits(parts.tm_mday, 2) + "T"
            + digits(parts.tm_hour, 2) + digits(parts.tm_min, 2) + digits(parts.tm_sec, 2) + "Z"
    }

    private func paths(_ suffixes: String...) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        return names.filter { name in name.hasPrefix(Self.prefix) && suffixes.contains { name.hasSuffix($0) } }
            .sorted().map { directory.appending(path: $0).path }
    }

    /// A killed process leaves an empty file, or one with a report that it could not finish.
    private func recover(_ path: String) {
        let file = Glibc.open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return }
        defer { close(file) }
        // A running relay holds the lock.
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else { return }
        var status = stat()
        guard fstat(file, &status) == 0 else { return }
        if status.st_size == 0 { unlink(path) } else { _ = rename(path, Self.new) }
    }

    private func rename(_ path: String, _ suffix: String) -> String {
        let renamed = String(path.prefix(upTo: path.lastIndex(of: ".") ?? path.endIndex)) + suffix
        Glibc.rename(path, renamed)
        return renamed
    }
}
