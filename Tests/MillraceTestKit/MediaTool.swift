import Foundation

/// An installed program such as ffprobe that verifies results independently.
package struct MediaTool: Sendable {
    package static let ffmpeg = MediaTool("ffmpeg")
    package static let ffprobe = MediaTool("ffprobe")

    package struct Output: Sendable {
        package var status: Int32
        package var bytes: [UInt8]
        package var errors: String
        package var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    package let name: String
    /// Path of the program; nil if it is not installed: tests then skip and report that.
    package let path: String?

    package init(_ name: String) {
        self.name = name
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
        path = folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    package var isInstalled: Bool { path != nil }

    package func run(_ arguments: [String]) throws -> Output {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path ?? "/nonexistent/\(name)")
        process.arguments = arguments
        let output = Pipe()
        // Errors are written to a file: two pipes would have to be drained at the same time.
        let errors = TemporaryFolder.shared.file("errors")
        _ = FileManager.default.createFile(atPath: errors, contents: nil)
        let errorHandle = try FileHandle(forWritingTo: URL(fileURLWithPath: errors))
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errorHandle
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let text = try String(decoding: Data(contentsOf: URL(fileURLWithPath: errors)), as: UTF8.self)
        try FileManager.default.removeItem(atPath: errors)
        return Output(status: process.terminationStatus, bytes: Array(bytes), errors: text)
    }
}
