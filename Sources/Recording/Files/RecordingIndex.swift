import Containers
import Foundation
package import MediaBase

/// `index.json` of a session's folder: the stream of each file, and the alignment of the files. A new version is
/// renamed into place, so that readers always see a complete file.
package final class RecordingIndex: @unchecked Sendable {
    package static let fileName = "index.json"

    /// Entry of one file.
    package struct Entry: Codable, Sendable, Hashable {
        package var stream: String
        package var file: String
        /// The relay's wall clock at the file's time zero, ISO 8601.
        package var start: String
        /// `start` in nanoseconds since 1970.
        package var startUnixNanoseconds: Int64
        /// Publisher's wall clock at the file's time zero, from its RTCP sender reports, in NTP format as a decimal
        /// number; absent without reports.
        package var startNTP: String?
        /// Seconds from the time zero of the earliest file to that of this file, by the relay's clock. Added to a
        /// file's times, it aligns the files.
        package var offset: Double = 0
        package var tracks: [String]
        /// Codec of the video track: `VP8`, `VP9`, `H264` or `AV1`; absent without video, and in files of earlier versions, which have VP8.
        package var codec: VideoCodec?
        /// Publisher; absent if the session does not know it.
        package var participant: RecordingSource.Participant?
        /// Display name of the stream.
        package var streamName: String?
        /// `camera` or `screen`; absent if the session does not know it.
        package var videoType: String?
        /// Drift of the publisher's clock; absent in files of earlier versions.
        package var clock: [ClockPoint]?
        /// Absent for a stream that is not encrypted end to end.
        package var encryption: RecordingEncryption?
        /// Duration in seconds; absent while the file is being written, or after a crash.
        package var duration: Double?
        package var statistics: RecordingStatistics?
        /// Error that ended the file before the end of the stream.
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

    /// Maximum size of an index that is read by `read(folder:)`: some 20,000 files.
    private static let maximumSize = 64 << 20

    /// Returns the session and the entries of a folder's index.
    package static func read(folder: String) throws(ComposeError) -> (session: String, files: [Entry]) {
        let path = folder + "/" + fileName
        let url = URL(fileURLWithPath: path)
        do {
            let size = try url.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
            guard size <= maximumSize else {
                throw ComposeError.index(path: path, reason: "larger than \(maximumSize) bytes")
            }
            let document = try JSONDecoder().decode(Document.self, from: Data(contentsOf: url))
            guard document.version == 1 else {
                throw ComposeError.index(path: path, reason: "version \(document.version) is not supported")
            }
            return (document.session, document.files)
        } catch let error as ComposeError {
            throw error
        } catch is DecodingError {
            throw .index(path: path, reason: "not an index of a recording")
        } catch {
            throw .index(path: path, reason: "cannot be read; millrace compose needs the folder of a recorded session")
        }
    }

    private let path: String
    private let lock = NSLock()
    private var document: Document
    /// Whether there are changes that could not be written yet.
    private var isUnsaved = false

    /// Continues an existing index, such as of an earlier run. An unreadable one is renamed.
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

    /// Adds the entry, or replaces the entry of the same file. If writing fails, the next write includes it.
    package func set(_ entry: Entry) throws(RecordingError) {
        lock.lock()
        defer { lock.unlock() }
        if let index = document.files.firstIndex(where: { $0.file == entry.file }) {
            document.files[index] = entry
        } else {
            document.files.append(entry)
        }
        let first = document.files.map(\.startUnixNanoseconds).min() ?? 0
        for index in document.files.indices {
            document.files[index].offset = Double(document.files[index].startUnixNanoseconds - first) / 1e9
        }
        try save()
    }

    /// Removes the entry of a file without frames.
    package func remove(file: String) throws(RecordingError) {
        lock.lock()
        defer { lock.unlock() }
        document.files.removeAll { $0.file == file }
        try save()
    }

    /// Writes changes that could not be written before.
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
