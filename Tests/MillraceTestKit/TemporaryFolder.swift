import Foundation

/// A temporary folder for a test's files; deleted with the value, or with the process for `shared`.
package final class TemporaryFolder: Sendable {
    package static let shared: TemporaryFolder = {
        let folder = TemporaryFolder()
        sharedPath = folder.path
        atexit { if let path = TemporaryFolder.sharedPath { try? FileManager.default.removeItem(atPath: path) } }
        return folder
    }()
    nonisolated(unsafe) private static var sharedPath: String?

    package let path: String

    package init() {
        path = NSTemporaryDirectory() + "millrace-test-\(UUID().uuidString)"
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Returns a path in the folder that no other test uses.
    package func file(_ name: String) -> String { "\(path)/\(UUID().uuidString)-\(name)" }
}
