import Foundation

/// A mount for a test that runs as root; `end` removes it.
final class Mount {
    struct Failed: Error {}

    private let path: String

    init(on path: String, arguments: [String], isReadOnly: Bool = false) throws {
        self.path = path
        try Self.run("/usr/bin/mount", arguments + [path])
        if isReadOnly { try Self.run("/usr/bin/mount", ["-o", "remount,bind,ro", path]) }
    }

    func end() { try? Self.run("/usr/bin/umount", ["-l", path]) }

    private static func run(_ program: String, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failed() }
    }
}
