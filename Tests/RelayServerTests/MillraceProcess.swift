import Dispatch
import Foundation

/// The `millrace` product as a separate process.
final class MillraceProcess: @unchecked Sendable {
    struct Result {
        var status: Int32
        var output: String
        var errors: String
    }

    /// The executable in the directory of the test bundle, which has all products of the build.
    private static let url = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(
        path: "millrace")
    static let isBuilt = FileManager.default.isExecutableFile(atPath: url.path)

    private let process = Process()
    private let output = Pipe()
    private let errors = Pipe()

    /// - Parameters:
    ///   - environment: variables in addition to a plain `PATH`.
    ///   - openFiles: soft and hard limit of open files; nil: the limits of this process.
    init(_ arguments: [String], environment: [String: String] = [:], openFiles: Int? = nil) throws {
        if let openFiles {
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = ["-c", "ulimit -n \(openFiles) && exec \"$0\" \"$@\"", Self.url.path] + arguments
        } else {
            process.executableURL = Self.url
            process.arguments = arguments
        }
        process.standardOutput = output
        process.standardError = errors
        process.environment = ["PATH": "/usr/bin:/bin"].merging(environment) { _, own in own }
        try process.run()
    }

    /// Runs a command and waits for its end.
    static func run(_ arguments: [String]) async throws -> Result {
        try await MillraceProcess(arguments).result()
    }

    /// Waits for the end of the process.
    func result() async -> Result {
        // Standard error fits into the pipe's buffer, so it can be read after standard output.
        let output = await read(output) { $0.readDataToEndOfFile() }
        let errors = await read(errors) { $0.readDataToEndOfFile() }
        return Result(
            status: await wait(), output: String(decoding: output, as: UTF8.self),
            errors: String(decoding: errors, as: UTF8.self))
    }

    /// Number of open descriptors of the process; 0 after its end.
    var openFileCount: Int {
        let directory = "/proc/\(process.processIdentifier)/fd"
        return (try? FileManager.default.contentsOfDirectory(atPath: directory).count) ?? 0
    }

    /// Returns the first line of standard output.
    func firstLine() async -> String {
        let line = await read(output) { file in
            var line = Data()
            while let byte = try? file.read(upToCount: 1), byte != Data([10]), !byte.isEmpty { line += byte }
            return line
        }
        return String(decoding: line, as: UTF8.self)
    }

    /// Resident memory of the process; 0 after its end.
    var residentBytes: Int {
        // The second number is the size of the resident set in pages (proc(5)).
        let path = "/proc/\(process.processIdentifier)/statm"
        let numbers = (try? String(contentsOfFile: path, encoding: .utf8))?.split(separator: " ") ?? []
        return (numbers.count > 1 ? Int(numbers[1]) ?? 0 : 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    var identifier: Int32 { process.processIdentifier }

    /// Waits for the end of the process and returns the signal that ended it; nil: it exited by itself.
    func waitForSignal() async -> Int32? {
        let number = await wait()
        return process.terminationReason == .uncaughtSignal ? number : nil
    }

    /// Returns all of standard error after the process has ended.
    func errorText() async -> String {
        String(decoding: await read(errors) { $0.readDataToEndOfFile() }, as: UTF8.self)
    }

    func wait() async -> Int32 {
        await blocking { self.process.waitUntilExit() }
        return process.terminationStatus
    }

    private func read(_ pipe: Pipe, _ body: @escaping @Sendable (FileHandle) -> Data) async -> Data {
        await blocking { body(pipe.fileHandleForReading) }
    }

    /// Runs `body` outside of the concurrency thread pool, which has one thread per processor and is shared by all tests.
    private func blocking<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: body()) }
        }
    }
}
