import ArgumentParser
import Foundation

@main
struct Millrace: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "millrace",
        abstract: "A relay for real-time audio and video.",
        discussion: """
            Example:
              millrace serve --dev
              millrace doctor
            """,
        version: "0.1.0",
        subcommands: [
            ServeCommand.self, LoadCommand.self, DecodeCommand.self, ComposeCommand.self, TokenCommand.self,
            SessionCommand.self, LiveCommand.self, IngestCommand.self, UserCommand.self, MessagesCommand.self,
            ClusterCommand.self,
            DoctorCommand.self, ConfigurationCommand.self,
        ])

    /// Runs the command. Exit codes: 0 success, 1 failure, 2 bad usage; a command may have its own.
    static func main() async {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            leave(with: error)
        }
    }

    private static func leave(with error: any Error) -> Never {
        let message = fullMessage(for: error)
        switch exitCode(for: error) {
        case .success:
            print(message)
            Foundation.exit(0)
        case .validationFailure:
            FileHandle.standardError.write(Data((message + "\n").utf8))
            Foundation.exit(2)
        case let code:
            if !message.isEmpty { FileHandle.standardError.write(Data((message + "\n").utf8)) }
            Foundation.exit(error is ExitCode || code.rawValue == 2 ? code.rawValue : 1)
        }
    }
}
