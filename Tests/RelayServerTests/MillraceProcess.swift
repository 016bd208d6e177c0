import Dispatch
import Foundation

/// The `millrace` product as a process of its own.
final class MillraceProcess: @unchecked Sendable {
    struct Result {
        var status: Int32
        var output: String
        var errors: String
    }

    /// Next to the test bundle, where the build puts every product.
    private static let url = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(
        path: "millrace")
    static let isBuilt = FileManager.default.isExecutableFile(atPath: url.path)

    private let process = Process()
    private let output = Pipe()
    private let errors = Pipe()

    /// - Parameters:
    ///   - environment: variables in addition to a plain `PATH`.
    ///   - openFiles: soft and hard limit of open files; nil: as this process has them.
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

    /// Runs to the end.
    static func run(_ arguments: [String]) async throws -> Result {
        try await MillraceProcess(arguments).result()
    }

    /// Waits for the end.
    func result() async -> Result {
        // Less than a pipe holds comes on standard error, so one can be read after the other.
        let output = await read(output) { $0.readDataToEndOfFile() }
        let errors = await read(errors) { $0.readDataToEndOfFile() }
        return Result(
            status: await wait(), output: String(decoding: output, as: UTF8.self),
            errors: String(decoding: errors, as: UTF8.self))
    }

    /// Descriptors that the process has open; 0 after its end.
    var openFileCount: Int {
        let directory = "/proc/\(process.processIdentifier)/fd"
        return (try? FileManager.default.contentsOfDirectory(atPath: directory).count) ?? 0
    }

    /// What standard output has up to the first line's end.
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
        // proc(5): the second number is the resident set in pages.
        let path = "/proc/\(process.processIdentifier)/statm"
        let numbers = (try? String(contentsOfFile: path, encoding: .utf8))?.split(separator: " ") ?? []
        return (numbers.count > 1 ? Int(numbers[1]) ?? 0 : 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    var identifier: Int32 { process.processIdentifier }

    /// Waits for the end by a signal; nil: the process ended by itself.
    func waitForSignal() async -> Int32? {
        let number = await wait()
        return process.terminationReason == .uncaughtSignal ? number : nil
    }

    /// Everything on standard error, once the process has ended.
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

    /// Off the threads that tasks run on: there are as many as processors, and other tests need them.
    private func blocking<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: body()) }
        }
    }
}
