import Foundation
import Synchronization

/// PostgreSQL server of a test, with its data and its socket in a temporary folder. It stops, and the folder is removed, when the object or
/// the process ends, also if the process crashes.
package final class PostgresServer: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Server for tests that use databases of their own and let it run.
    package static let shared = Result { try PostgresServer() }

    /// Folder of the programs of the newest installed version; nil if there is none: tests then skip and report that.
    private static let programs: String? = {
        let base = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: base)) ?? []
        return versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { "\(base)/\($0)/bin" }
            .first { FileManager.default.isExecutableFile(atPath: "\($0)/initdb") }
    }()
    package static var isInstalled: Bool { programs != nil }

    /// Starts the server, and stops it at the end of its standard input, which this process holds. A line means that the data is kept.
    /// It is a script of bash: dash waits for SIGCHLD, which threads of Swift block and child processes inherit.
    private static let guardian = """
        folder=$1 options=$2; shift 2
        "$@" -w -t 60 -l "$folder/data/log" -o "$options" start >/dev/null 2>&1 && echo ready || echo failed
        read -r line; "$@" -m immediate stop >/dev/null 2>&1
        [ "$line" = keep ] || rm -rf "$folder"
        """

    private struct Running {
        let process: Process
        let input: Pipe
    }

    private let bin: String
    private let folder: String
    private let running = Mutex<Running?>(nil)
    private let databases = Mutex(0)
    private var data: String { folder + "/data" }

    /// Makes the data folder and starts the server.
    package init() throws {
        guard let programs = Self.programs else { throw Failure(description: "PostgreSQL is not installed") }
        bin = programs
        folder = NSTemporaryDirectory() + "millrace-postgres-\(UUID().uuidString.prefix(8))"
        // The server runs as another user if the tests run as root.
        let open: [FileAttributeKey: Any] = [.posixPermissions: 0o755]
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true, attributes: open)
        try FileManager.default.createDirectory(atPath: folder + "/data", withIntermediateDirectories: false)
        if geteuid() == 0 {
            guard let user = getpwnam("postgres"),
                chown(folder + "/data", user.pointee.pw_uid, user.pointee.pw_gid) == 0
            else { throw Failure(description: "there is no user postgres") }
        }
        try run(
            asOwner("initdb")
                + ["-D", data, "-A", "trust", "-U", "postgres", "-N", "--locale=C", "-E", "UTF8", "--no-instructions"])
        try start()
    }

    deinit { end(keepsData: false) }

    /// Starts the server after `stop`, and waits until it accepts connections.
    package func start() throws {
        let process = Process()
        let input = Pipe(), output = Pipe()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments =
            ["-c", Self.guardian, "bash", folder, "-k \(data) -h '' -p 5432 -F -c max_connections=400"]
            + asOwner("pg_ctl") + ["-D", data]
        process.currentDirectoryURL = URL(filePath: folder)
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        running.withLock { $0 = Running(process: process, input: input) }
        guard output.fileHandleForReading.availableData == Data("ready\n".utf8) else {
            let log = (try? String(contentsOfFile: data + "/log", encoding: .utf8)) ?? "no log"
            throw Failure(description: "PostgreSQL does not start: \(log)")
        }
    }

    /// Stops the server at once, as a crash does; `start` continues with its data.
    package func stop() { end(keepsData: true) }

    private func end(keepsData: Bool) {
        let last = running.withLock { running in
            defer { running = nil }
            return running
        }
        guard let last else { return }
        if keepsData { try? last.input.fileHandleForWriting.write(contentsOf: Data("keep\n".utf8)) }
        try? last.input.fileHandleForWriting.close()
        last.process.waitUntilExit()
    }

    /// Creates an empty database.
    /// - Returns: its name.
    package func makeDatabase() throws -> String {
        let number = databases.withLock { number in
            number += 1
            return number
        }
        try sql("CREATE DATABASE test\(number)")
        return "test\(number)"
    }

    /// Returns a connection URI.
    ///
    /// - Parameter deadHost: host that is tried first, at port 1, which is closed.
    package func url(_ database: String, deadHost: String? = nil) -> String {
        let dead = deadHost.map { ($0 + ",", "1,") } ?? ("", "")
        return "postgres:///\(database)?host=\(dead.0)\(data)&port=\(dead.1)5432&user=postgres"
    }

    /// Executes SQL on a connection of its own.
    /// - Returns: the rows as lines, the columns separated by `|`.
    @discardableResult
    package func sql(_ text: String, database: String = "postgres") throws -> String {
        try run([
            bin + "/psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", data, "-U", "postgres", "-d",
            database, "-c", text,
        ])
    }

    /// PostgreSQL refuses to run as root.
    private func asOwner(_ program: String) -> [String] {
        let path = "\(bin)/\(program)"
        guard geteuid() == 0 else { return [path] }
        return ["/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", path]
    }

    @discardableResult
    private func run(_ command: [String]) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: command[0])
        process.arguments = Array(command.dropFirst())
        process.currentDirectoryURL = URL(filePath: folder)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let text = String(decoding: bytes, as: UTF8.self)
        guard process.terminationStatus == 0 else {
            throw Failure(description: "\(command[0]) failed with status \(process.terminationStatus): \(text)")
        }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
