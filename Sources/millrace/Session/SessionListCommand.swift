import ArgumentParser
import ControlServer
import Foundation

/// `millrace session list`.
struct SessionListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the live sessions.",
        discussion: """
            Examples:
              millrace session list
              millrace session list --app shop --json
            """)

    @OptionGroup(title: "Relay") var relay: RelayOptions

    private struct Page: Codable {
        var sessions: [SessionOverview]
        var next: String?
    }

    func run() async throws {
        let client = try relay.relay()
        var sessions: [SessionOverview] = []
        var after: String?
        repeat {
            var query = ["limit": "1000"]
            if let after { query["after"] = after }
            let page = try await client.get(Page.self, "/v1/admin/sessions", query: query).value
            sessions += page.sessions
            after = page.next
        } while after != nil
        if relay.json {
            print(try CommandOutput.json(sessions))
            return
        }
        let rows = sessions.map { session in
            [
                session.app, CommandOutput.plain(session.name), "\(session.participants)", "\(session.streams)",
                CommandOutput.time(session.createdAt), session.hasPassword ? "password" : "",
            ]
        }
        print(CommandOutput.table(["APP", "SESSION", "PARTICIPANTS", "STREAMS", "SINCE", ""], rows))
    }
}
