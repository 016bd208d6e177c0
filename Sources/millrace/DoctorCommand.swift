import ArgumentParser
import RelayServer

/// `millrace doctor`: checks whether this host is ready for the relay.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Checks host, ports, UDP buffers, offloads and ciphers, and suggests fixes.",
        discussion: """
            Checks the configuration that `serve` would use. Exit code 1 if a check fails.

            Examples:
              millrace doctor
              millrace doctor --media-workers 4 --json
            """)

    @OptionGroup var options: ConfigurationOptions
    @Flag(help: "print JSON") var json = false

    func run() async throws {
        let resolved = try await options.resolve()
        let findings = Doctor(configuration: resolved.configuration).examine()
        print(json ? try Doctor.json(findings) : Doctor.text(findings))
        if findings.contains(where: { $0.level == .fail }) { throw ExitCode.failure }
    }
}
