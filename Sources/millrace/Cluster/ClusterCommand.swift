import ArgumentParser
import ControlServer
import Foundation

/// `millrace cluster`.
struct ClusterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster",
        abstract: "Lists the relays and sessions of a cluster.",
        discussion: """
            Any relay of the cluster answers. Uses the admin API (docs/admin.md); the relay is --url or MILLRACE_URL, its admin
            token --token or MILLRACE_ADMIN_TOKEN. Exit code 1 if the relay refuses, is in no cluster or cannot be reached.

            Examples:
              millrace cluster
              millrace cluster --url https://relay1.example --json
            """)

    @OptionGroup(title: "Relay") var relay: RelayOptions

    func run() async throws {
        let answer = try await relay.relay().get(ClusterAnswer.self, "/v1/admin/cluster").value
        if relay.json {
            print(try CommandOutput.json(answer))
            return
        }
        print(
            CommandOutput.table(
                ["RELAY", "LINK", "REGION", "VERSION", "LINKS", "LOAD", "STATE"], answer.relays.map(row)))
        print("")
        let sessions = answer.sessions.map { session in
            [
                session.app, CommandOutput.plain(session.name), session.relay, "\(session.term)",
                session.isAlive ? "" : "relay lost",
            ]
        }
        print(CommandOutput.table(["APP", "SESSION", "RELAY", "TERM", ""], sessions))
    }

    private func row(_ relay: ClusterAnswer.Relay) -> [String] {
        let silence = String(format: "%.0f s", relay.silence)
        let state = !relay.isAlive ? "lost, silent for \(silence)" : relay.isDraining ? "draining" : "alive"
        return [
            CommandOutput.plain(relay.id), CommandOutput.plain(relay.link), CommandOutput.plain(relay.region),
            CommandOutput.plain(relay.version), relay.linkVersion.map { "\($0)" } ?? "",
            String(format: "%.0f %%", relay.load * 100), state,
        ]
    }
}
