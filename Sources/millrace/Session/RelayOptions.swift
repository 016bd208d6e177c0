import ArgumentParser
import ControlServer
import Foundation
import HTTPCalls

/// Relay that a command uses, and access to it.
struct RelayOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("the relay; also MILLRACE_URL (default: http://127.0.0.1:7880)", valueName: "url"))
    var url: String?
    @Option(help: ArgumentHelp("its admin token; also MILLRACE_ADMIN_TOKEN", valueName: "token")) var token: String?
    @Option(
        help: ArgumentHelp(
            "PEM file of trusted certificates; also MILLRACE_AUTHORITIES (default: the system's)",
            valueName: "file"))
    var authorities: String?
    @Option(help: ArgumentHelp("app of the session or user (default: the relay's default app)", valueName: "key"))
    var app: String?
    @Flag(help: "print JSON, as the relay answered") var json = false

    // Checked here, not in `relay()`, so that an error shows the usage of the command.
    func validate() throws { _ = try target() }

    func relay() throws -> AdminClient {
        AdminClient(
            caller: HTTPCaller(
                authorities: Self.text(authorities, "MILLRACE_AUTHORITIES"), agent: "millrace/\(BuildInfo.version)"),
            target: try target(),
            token: Self.text(token, "MILLRACE_ADMIN_TOKEN"), app: app)
    }

    private func target() throws -> HTTPTarget {
        let url = Self.text(url, "MILLRACE_URL") ?? "http://127.0.0.1:7880"
        guard let target = HTTPTarget(url) else {
            throw ValidationError(
                "\"\(url)\" is not an http: or https: URL, such as http://127.0.0.1:7880 (--url, MILLRACE_URL)")
        }
        return target
    }

    /// Returns the value of an option, otherwise that of its environment variable; nil if both are missing.
    static func text(_ given: String?, _ variable: String) -> String? {
        given ?? ProcessInfo.processInfo.environment[variable].flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// Session that a command uses, and its relay.
struct SessionOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("name of the session", valueName: "session")) var session: String
    @OptionGroup(title: "Relay") var relay: RelayOptions
}
