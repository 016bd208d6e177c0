import Foundation
import NIOConcurrencyHelpers

/// One run of another program: its standard input, the lines of its standard error, and its end.
///
/// It is started by `posix_spawn`, not by Foundation's `Process`: a program that `Process` starts from a thread of Swift's executor inherits
/// blocked signals, so that it cannot be asked to end.
package final class ChildProgram: Sendable {
    package enum Failure: Error, Hashable, CustomStringConvertible {
        /// No executable file of this name.
        case notFound(String)
        case notStarted(String)
        /// The program does not read its input any more.
        case inputClosed

        package var description: String {
            switch self {
            case .notFound(let name): "there is no program \"\(name)\""
            case .notStarted(let reason): "it could not be started: \(reason)"
            case .inputClosed: "it does not read its input any more"
            }
        }
    }

    /// End of a run.
    package enum End: Hashable, Sendable, CustomStringConvertible {
        case exited(Int32)
        case signalled(Int32)

        /// - Parameter status: as `waitpid` returns it.
        fileprivate init(status: Int32) {
            let number = status & 0x7f
            self = number == 0 ? .exited(status >> 8 & 0xff) : .signalled(number)
        }

        package var description: String {
            switch self {
            case .exited(let status): "it ended with status \(status)"
            case .signalled(let number): "signal \(number) ended it"
            }
        }
    }

    /// Time between the request to end and the forced end.
    private static let patience = Duration.seconds(5)
    private static let readBytes = 4_096

    private struct State {
        /// Nil after the program has ended, when the number may belong to another one.
        var process: pid_t?
        var newestLine: String?
    }

    private let state: NIOLockedValueBox<State>
    private let input: Pipe?
    private let ends: AsyncStream<End>

    /// Starts the program.
    /// - Parameters:
    ///   - name: path, or name of a program in `PATH`.
    ///   - hasInput: whether `write` is used; otherwise the standard input is empty.
    ///   - onLine: receives each line of the standard error, before `end` returns.
    package init(
        _ name: String, _ arguments: [String], hasInput: Bool, onLine: @escaping @Sendable (String) -> Void
    ) throws(Failure) {
        // A write to a program that has ended is an error, not the end of this process.
        signal(SIGPIPE, SIG_IGN)
        let input = hasInput ? Pipe() : nil
        let errors = Pipe()
        let process = try Self.spawn(name, arguments, input: input, errors: errors)
        try? input?.fileHandleForReading.close()
        try? errors.fileHandleForWriting.close()
        self.input = input
        let state = NIOLockedValueBox(State(process: process))
        self.state = state
        let (ends, end) = AsyncStream.makeStream(of: End.self)
        self.ends = ends
        let thread = Thread {
            Self.readLines(errors.fileHandleForReading) { line in
                state.withLockedValue { $0.newestLine = line }
                onLine(line)
            }
            end.yield(Self.wait(for: process, state))
            end.finish()
        }
        thread.start()
    }

    /// Newest line of the standard error.
    package var newestLine: String? { state.withLockedValue { $0.newestLine } }

    /// Writes to the standard input. Waits while the program does not read.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
        do {
            try input?.fileHandleForWriting.write(contentsOf: Data(bytes))
        } catch {
            throw .inputClosed
        }
    }

    /// Closes the standard input.
    package func closeInput() { try? input?.fileHandleForWriting.close() }

    /// Waits for the end of the program. Call it once. Cancellation ends the program.
    package func end() async -> End {
        await withTaskCancellationHandler {
            // A cancelled iteration would end without an element.
            await Task { [ends] in
                for await end in ends { return end }
                return .exited(0)
            }.value
        } onCancel: {
            stop()
        }
    }

    /// Asks the program to end, and ends it by force if it has not after five seconds.
    package func stop() {
        send(SIGTERM)
        Task {
            try? await Task.sleep(for: Self.patience)
            send(SIGKILL)
        }
    }

    private func send(_ number: Int32) {
        state.withLockedValue { state in
            if let process = state.process { kill(process, number) }
        }
    }

    private static func spawn(
        _ name: String, _ arguments: [String], input: Pipe?, errors: Pipe
    ) throws(Failure) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input.fileHandleForReading.fileDescriptor, STDIN_FILENO)
        } else {
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, errors.fileHandleForWriting.fileDescriptor, STDERR_FILENO)
        // A program that inherits the other end of its input would never reach the end of it.
        for pipe in [input, errors].compactMap(\.self) {
            for file in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
                _ = fcntl(file.fileDescriptor, F_SETFD, FD_CLOEXEC)
            }
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // No signal is blocked or ignored. A group of its own, so that Ctrl-C at the terminal reaches only this process.
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var words = ([name] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var process = pid_t()
        let code = posix_spawnp(&process, name, &actions, &attributes, &words, environ)
        guard code != ENOENT else { throw .notFound(name) }
        guard code == 0 else { throw .notStarted(String(cString: strerror(code))) }
        return process
    }

    private static func readLines(_ file: FileHandle, _ onLine: (String) -> Void) {
        var buffer = LineBuffer()
        while let data = try? file.read(upToCount: readBytes), !data.isEmpty {
            for line in buffer.append(data) { onLine(line) }
        }
        if let line = buffer.finish() { onLine(line) }
    }

    private static func wait(for process: pid_t, _ state: NIOLockedValueBox<State>) -> End {
        // Left unreaped until no other thread can send it a signal.
        var information = siginfo_t()
        while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        state.withLockedValue { $0.process = nil }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return End(status: status)
    }
}
