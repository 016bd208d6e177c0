import Foundation
import NIOPosix
import Testing

@Suite("Tutorial: its program") struct TutorialProgramTests {
    @Test("the program behaves as the article says", .timeLimit(.minutes(2))) func runs() async throws {
        try await RelayUnderTest.run { relay in
            let process = Process()
            process.executableURL = try Self.program()
            process.environment = ProcessInfo.processInfo.environment.merging([
                "MILLRACE_URL": relay.url, "MILLRACE_TOKEN": try await relay.token(session: "lobby", canHost: true),
            ]) { $1 }
            let output = Pipe()
            process.standardOutput = output
            let status: Int32 = try await withCheckedThrowingContinuation { waiting in
                process.terminationHandler = { waiting.resume(returning: $0.terminationStatus) }
                do { try process.run() } catch { waiting.resume(throwing: error) }
            }
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            #expect(status == 0)
            #expect(text.split(separator: "\n") == ["Bob sees camera, 320x180", "Ada hears: I see you", "done"])
        }
    }

    /// Returns the path of the program, which is built next to the tests.
    private static func program() throws -> URL {
        let name = "MillraceTutorial"
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        for _ in 0..<5 {
            let candidate = folder.appendingPathComponent(name)
            if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
            folder = folder.deletingLastPathComponent()
        }
        return try #require(nil as URL?, "\(name) is not built")
    }
}
