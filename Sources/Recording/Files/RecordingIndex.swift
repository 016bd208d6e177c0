import Containers
import Foundation

/// `index.json` of one session's folder: which file holds which stream, and how the files lie in time. Written whole and renamed into
/// place, so that it can be read at every moment.
package final class RecordingIndex: @unchecked Sendable {
    package static let fileName = "index.json"

    /// One file.
    package struct Entry: Codable, Sendable, Hashable {
        package var stream: String
        package var file: String
        /// The relay's wall clock at the file's time zero, ISO 8601.
        package var start: String
        /// The same in nanoseconds since 1970.
        package var startUnixNanoseconds: Int64
        /// The publisher's wall clock at the file's time zero by its RTCP sender reports, NTP format as a decimal number; absent
        /// without reports.
        package var startNTP: String?
        /// Seconds from the earliest file's time zero to this one's, by the relay's clock: add it to a file's times to align files.
        package var offset: Double = 0
        package var tracks: [String]
        /// The publisher; absent if the session does not know it.
        package var participant: RecordingSource.Participant?
        /// Display name of the stream.
        package var streamName: String?
        /// Absent for a stream that is not encrypted end to end.
        package var encryption: RecordingEncryption?
        /// Seconds; absent while the file is being written, or after a crash.
        package var duration: Double?
        package var statistics: RecordingStatistics?
        /// Why it ended before the stream did.
        package var error: String?
    }

    private struct Document: Codable {
        var version = 1
        var session: String
        var files: [Entry] = []
    }

    /// Encryption of a recorded file by the index beside it; nil if there is no index, or the file is not encrypted.
    package static func encryption(ofFile path: String) -> RecordingEncryption? {
        let file = URL(fileURLWithPath: path)
        let index = file.deletingLastPathComponent().appendingPathComponent(fileName)
        guard let data = try? Data(contentsOf: index),
            let document = try? JSONDecoder().decode(Document.self, from: data)
        else { return nil }
        return document.files.first { $0.file == file.lastPathComponent }?.encryption
    }

    private let path: String
    private let lock = NSLock()
    private var document: Document
    /// Entries that could not be written yet.
    private var isUnsaved = false

    /// Goes on with an index that is there, such as one of an earlier run; one that cannot be read is set aside.
    package init(session: String, directory: String) throws(RecordingError) {
        path = directory + "/" + Self.fileName
        try RecordingFolder.create(directory)
        document = Document(session: session)
        guard let data = FileManager.default.contents(atPath: path) else { return }
        if let old = try? JSONDecoder().decode(Document.self, from: data), old.version == 1 {
            document.files = old.files
        } else {
            try? FileManager.default.moveItem(atPath: path, toPath: "\(path).\(UUID().uuidString).unreadable")
        }
    }

    package var entries: [Entry] {
        lock.lock()
        defer { lock.unlock() }
        return document.files
    }

    /// Adds the entry, or replaces the one of the same file. If writing fails, the entry is kept for the next write.
    package func set(_ entry: Entry) throws(RecordingError) {
        lock.lock()
        defer { lock.unlock() }
        if let place = document.files.firstIndex(where: { $0.file == entry.file }) {
            document.files[place] = entry
        } else {
            document.files.append(entry)
        }
        let first = document.files.map(\.startUnixNanoseconds).min() ?? 0
        for index in document.files.indices {
            document.files[index].offset = Double(document.files[index].startUnixNanoseconds - first) / 1e9
        }
        try save()
    }

    /// Removes the entry of a file that holds nothing.
    package func remove(file: String) throws(RecordingError) {
        lock.lock()
        defer { lock.unlock() }
        document.files.removeAll { $0.file == file }
        try save()
    }

    /// Writes entries that could not be written before.
    package func retry() throws(RecordingError) {
        lock.lock()
        defer { lock.unlock() }
        if isUnsaved { try save() }
    }

    private func save() throws(RecordingError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        isUnsaved = true
        let data: Data
        do { data = try encoder.encode(document) } catch {
            throw .directory(path: path, code: 0, reason: error.localizedDescription)
        }
        try RecordingFolder.replace(path, with: Array(data))
        isUnsaved = false
    }
}
