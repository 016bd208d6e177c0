import Foundation

/// A small file system in memory for a test that runs as root; unmounted by `end`.
package final class TemporaryMount {
    package struct Failed: Error {}

    private let path: String

    package init(on path: String, megabytes: Int) throws {
        self.path = path
        try Self.run("/usr/bin/mount", ["-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", path])
    }

    package func end() { try? Self.run("/usr/bin/umount", ["-l", path]) }

    private static func run(_ program: String, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failed() }
    }
}
