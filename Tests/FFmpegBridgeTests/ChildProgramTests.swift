import FFmpegBridge
import Foundation
import Synchronization
import Testing

@Suite("LIV-2 Runs of a program") struct ChildProgramTests {
    private final class Lines: Sendable {
        private let all = Mutex<[String]>([])
        var values: [String] { all.withLock { $0 } }
        func append(_ line: String) { all.withLock { $0.append(line) } }
    }

    @Test("LIV-2 input, lines of standard error and exit status are passed on")
    func run() async throws {
        let lines = Lines()
        let script = "read a; echo \"got $a\" >&2; cat >/dev/null; echo end >&2; exit 3"
        let program = try ChildProgram("sh", ["-c", script], hasInput: true) { lines.append($0) }
        let text = Array("hello\nrest".utf8)
        try text.withUnsafeBytes { try program.write($0) }
        program.closeInput()
        #expect(await program.end() == .exited(3))
        #expect(lines.values == ["got hello", "end"])
    }

    @Test("LIV-2 a program that does not exist is a typed error")
    func missing() {
        #expect(throws: ChildProgram.Failure.notFound("millrace-no-such-program")) {
            try ChildProgram("millrace-no-such-program", [], hasInput: false) { _ in }
        }
    }

    @Test("LIV-2 a write to a program that has ended is an error, and the process goes on")
    func broken() async throws {
        let program = try ChildProgram("true", [], hasInput: true) { _ in }
        #expect(await program.end() == .exited(0))
        let bytes = [UInt8](repeating: 0, count: 1 << 20)
        let failure = bytes.withUnsafeBytes { bytes -> ChildProgram.Failure? in
            do throws(ChildProgram.Failure) {
                try program.write(bytes)
                return nil
            } catch {
                return error
            }
        }
        #expect(failure == .inputClosed)
    }

    @Test("LIV-2 cancellation asks the program to end")
    func cancellation() async throws {
        // Other tests may delay the next lines for minutes.
        let program = try ChildProgram("sleep", ["infinity"], hasInput: false) { _ in }
        let waiting = Task { await program.end() }
        waiting.cancel()
        #expect(await waiting.value == .signalled(SIGTERM))
    }
}
