import ArgumentParser
import ControlServer
import Foundation

/// `millrace session issue [ID]`: reports that clients requested (ISS-1).
struct SessionIssueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "issue",
        abstract: "Lists the reports of clients, or prints one and saves it.",
        discussion: """
            A report holds the relay's data about a participant when its client requested it: connection, streams, statistics,
            last events, packets of the last 30 s. The relay keeps the newest (issues.count).

            Examples:
              millrace session issue
              millrace session issue 5f0c9f7e2f1d4a3b8c6d7e8f90a1b2c3
              millrace session issue 5f0c9f7e2f1d4a3b8c6d7e8f90a1b2c3 --output report.json
            """)

    @OptionGroup(title: "Relay") var relay: RelayOptions
    @Argument(help: ArgumentHelp("id of a report (default: all, as a list)", valueName: "id")) var id: String?
    @Option(help: ArgumentHelp("file (default: issue-ID.json); - saves nothing", valueName: "file"))
    var output: String?

    private struct Page: Codable {
        var issues: [IssueEntry]
        var next: String?
    }

    func validate() throws {
        guard let id else { return }
        guard id.utf8.allSatisfy({ (48...57).contains($0) || (97...122).contains($0) }), !id.isEmpty else {
            throw ValidationError("\"\(id)\" is not the id of a report")
        }
    }

    func run() async throws {
        let client = try relay.relay()
        guard let id else {
            try await list(client)
            return
        }
        let data = try await client.send("GET", "/v1/admin/issues/\(id)")
        let object = try? JSONSerialization.jsonObject(with: data)
        let pretty = object.map(Self.withoutHeaders).flatMap {
            try? JSONSerialization.data(
                withJSONObject: $0, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
        }
        print(String(decoding: relay.json ? data : pretty ?? data, as: UTF8.self))
        let file = output ?? "issue-\(id).json"
        guard file != "-" else { return }
        do {
            try data.write(to: URL(filePath: file), options: .atomic)
        } catch {
            CommandOutput.error("cannot write \(file): \(error.localizedDescription)")
            throw ExitCode.failure
        }
        CommandOutput.error("saved as \(file)")
    }

    /// Returns the object with each list of packet headers replaced by their number: thousands of them are only for the file.
    private static func withoutHeaders(_ object: Any) -> Any {
        if let list = object as? [Any] { return list.map(withoutHeaders) }
        guard let members = object as? [String: Any] else { return object }
        return Dictionary(
            uniqueKeysWithValues: members.map { name, value -> (String, Any) in
                if name == "headers", let headers = value as? [String] { return (name, "\(headers.count) packets") }
                return (name, withoutHeaders(value))
            })
    }

    private func list(_ client: AdminClient) async throws {
        var issues: [IssueEntry] = []
        var after: String?
        repeat {
            var query = ["limit": "1000"]
            if let after { query["after"] = after }
            let page = try await client.get(Page.self, "/v1/admin/issues", query: query).value
            issues += page.issues
            after = page.next
        } while after != nil
        if relay.json {
            print(try CommandOutput.json(issues))
            return
        }
        let rows = issues.map { issue in
            [
                issue.id, CommandOutput.time(issue.head.reportedAt), issue.head.app,
                CommandOutput.plain(issue.head.session), issue.head.connection.rawValue,
                CommandOutput.plain(issue.head.note ?? ""),
            ]
        }
        print(CommandOutput.table(["REPORT", "AT", "APP", "SESSION", "PARTICIPANT", "NOTE"], rows))
    }
}
