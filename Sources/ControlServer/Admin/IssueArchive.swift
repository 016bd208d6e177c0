import Foundation
package import Logging
package import Signaling

/// Keeps reports in memory, or as files if a directory is given. If `count` reports are kept, a new one replaces the oldest.
package actor IssueArchive: IssueStore {
    /// Default maximum number of reports.
    package static let standardCount = 100
    /// Default maximum size of one bundle, in bytes.
    package static let standardBytes = 1 << 20

    private struct Stored {
        let entry: IssueEntry
        /// Nil if the bundle is in its file.
        let bundle: [UInt8]?
    }

    private let count: Int
    private let bytes: Int
    private let directory: String?
    private let logger: Logger
    /// Stored reports, oldest first.
    private var stored: [Stored] = []
    private var reported: UInt64 = 0
    private var refused: UInt64 = 0

    /// - Parameter directory: created if it does not exist; its reports are read back.
    package init(
        count: Int = IssueArchive.standardCount, bytes: Int = IssueArchive.standardBytes, directory: String? = nil,
        logger: Logger
    ) throws {
        self.count = count
        self.bytes = bytes
        self.directory = directory
        self.logger = logger
        guard let directory else { return }
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let found = Self.entries(in: directory)
        stored = found.suffix(count).map { Stored(entry: $0, bundle: nil) }
        for old in found.dropLast(count) { Self.delete(old.id, in: directory) }
    }

    package func keep(_ head: IssueHead, bundle: [UInt8]) async throws(SignalingError) -> String {
        guard bundle.count <= bytes else {
            refused += 1
            throw SignalingError(
                .limitReached, "the report has \(bundle.count) bytes, at most \(bytes) are kept", limit: "issues.bytes")
        }
        let entry = IssueEntry(id: Self.makeID(), head: head, bytes: bundle.count)
        if let directory {
            do {
                try Self.write(entry, bundle, in: directory)
            } catch {
                refused += 1
                logger.error("cannot write a report: \(error)", metadata: ["directory": "\(directory)"])
                throw SignalingError(.internalError, "the report could not be written")
            }
        }
        stored.append(Stored(entry: entry, bundle: directory == nil ? bundle : nil))
        reported += 1
        while stored.count > count {
            let old = stored.removeFirst()
            if let directory { Self.delete(old.entry.id, in: directory) }
        }
        return entry.id
    }

    package func issues(after: String?, limit: Int) async throws(SignalingError) -> [IssueEntry] {
        let newestFirst = stored.reversed().map(\.entry)
        guard let after else { return Array(newestFirst.prefix(limit)) }
        guard let index = newestFirst.firstIndex(where: { $0.id == after }) else { throw Self.unknown(after) }
        return Array(newestFirst[(index + 1)...].prefix(limit))
    }

    package func issue(_ id: String) async throws(SignalingError) -> Issue {
        guard let found = stored.first(where: { $0.entry.id == id }) else { throw Self.unknown(id) }
        if let bundle = found.bundle { return Issue(entry: found.entry, bundle: bundle) }
        // `makeID` created the id, so it is safe as a file name.
        guard let directory, let data = FileManager.default.contents(atPath: Self.bundlePath(id, in: directory)) else {
            throw Self.unknown(id)
        }
        return Issue(entry: found.entry, bundle: Array(data))
    }

    package func statistics() async -> IssueStatistics {
        IssueStatistics(
            kept: stored.count, bytes: stored.reduce(0) { $0 + $1.entry.bytes }, reported: reported, refused: refused)
    }

    private static func unknown(_ id: String) -> SignalingError {
        SignalingError(.unknownIssue, "there is no report \"\(id.prefix(64))\"; new reports replace the oldest")
    }

    /// Returns 128 random bits in hexadecimal, so that report ids cannot be guessed.
    private static func makeID() -> String {
        (0..<2).map { _ in
            let half = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - half.count) + half
        }.joined()
    }

    // MARK: files: <id>.json is the bundle, <id>.head.json the `IssueEntry`

    private static func bundlePath(_ id: String, in directory: String) -> String { "\(directory)/\(id).json" }
    private static func headPath(_ id: String, in directory: String) -> String { "\(directory)/\(id).head.json" }

    private static func write(_ entry: IssueEntry, _ bundle: [UInt8], in directory: String) throws {
        try Data(bundle).write(to: URL(filePath: bundlePath(entry.id, in: directory)), options: .atomic)
        // The head is written last, so that an incomplete report is never listed.
        try JSONEncoder().encode(entry).write(to: URL(filePath: headPath(entry.id, in: directory)), options: .atomic)
    }

    private static func delete(_ id: String, in directory: String) {
        try? FileManager.default.removeItem(atPath: headPath(id, in: directory))
        try? FileManager.default.removeItem(atPath: bundlePath(id, in: directory))
    }

    /// Returns the entries in the directory, oldest first.
    private static func entries(in directory: String) -> [IssueEntry] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.filter { $0.hasSuffix(".head.json") }.compactMap { name in
            guard let data = FileManager.default.contents(atPath: directory + "/" + name),
                let entry = try? JSONDecoder().decode(IssueEntry.self, from: data), name == entry.id + ".head.json",
                entry.id.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) })
            else { return nil }
            return entry
        }.sorted { ($0.head.reportedAt, $0.id) < ($1.head.reportedAt, $1.id) }
    }
}
