import ArgumentParser
import Foundation

/// `millrace user export USER`.
struct UserExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes a user's conversations, groups and messages, one JSON object per line.",
        discussion: """
            Example:
              millrace user export ada --output ada.jsonl
            """)

    @OptionGroup var options: UserOptions
    @Option(help: ArgumentHelp("file (default: standard output)", valueName: "file")) var output: String?

    func run() async throws {
        let client = try options.relay.relay()
        let file: FileHandle
        if let output {
            // Messages are private, so that only the file's owner may read it.
            guard FileManager.default.createFile(atPath: output, contents: nil, attributes: [.posixPermissions: 0o600]),
                let handle = FileHandle(forWritingAtPath: output)
            else {
                CommandOutput.error("cannot write \(output)")
                throw ExitCode.failure
            }
            file = handle
        } else {
            file = FileHandle.standardOutput
        }
        try await client.stream(options.path("export"), query: options.query) { bytes in
            try file.write(contentsOf: Data(bytes))
        }
        if let output { CommandOutput.error("saved as \(output)") }
    }
}
