import ArgumentParser
import ControlServer
import HTTPCalls
import RelayServer

/// `millrace doctor`: checks whether this host is ready for the relay.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Checks host, ports, UDP buffers, offloads and ciphers, or a running relay, and suggests fixes.",
        discussion: """
            Checks the host for the configuration that `serve` would use; with --cluster-url also the cluster's database and
            the links to its relays, and with --storage-url the database of conversations. With --url it checks a running
            relay by its metrics instead. Exit code 1 if a check fails.

            Examples:
              millrace doctor
              millrace doctor --media-workers 4 --json
              millrace doctor --url http://127.0.0.1:7880
            """)

    @OptionGroup var options: ConfigurationOptions
    @Option(help: ArgumentHelp("check this running relay, and not the host", valueName: "url")) var url: String?
    @Option(help: ArgumentHelp("its admin token; also MILLRACE_ADMIN_TOKEN", valueName: "token")) var token: String?
    @Option(
        help: ArgumentHelp(
            "PEM file of trusted certificates; also MILLRACE_AUTHORITIES (default: the system's)",
            valueName: "file"))
    var authorities: String?
    @Flag(help: "print JSON") var json = false

    func validate() throws {
        if let url, HTTPTarget(url) == nil {
            throw ValidationError("\"\(url)\" is not an http: or https: URL, such as http://127.0.0.1:7880 (--url)")
        }
    }

    func run() async throws {
        let findings: [DoctorFinding]
        if let target = url.flatMap({ HTTPTarget($0) }) {
            let caller = HTTPCaller(
                authorities: RelayOptions.text(authorities, "MILLRACE_AUTHORITIES"),
                agent: "millrace/\(BuildInfo.version)")
            findings = await Doctor.examine(
                relay: target, token: RelayOptions.text(token, "MILLRACE_ADMIN_TOKEN"), by: caller)
        } else {
            let doctor = Doctor(configuration: try await options.resolve().configuration)
            findings = doctor.examine() + (await doctor.cluster()) + doctor.conversations()
        }
        print(json ? try Doctor.json(findings) : Doctor.text(findings))
        if findings.contains(where: { $0.level == .fail }) { throw ExitCode.failure }
    }
}
