import Foundation
import Signaling
import Testing

@Suite("docs/protocol.md")
struct ProtocolDocumentTests {
    private static let text: String = {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return (try? String(contentsOf: root.appending(path: "docs/protocol.md"), encoding: .utf8)) ?? ""
    }()

    /// Lines of the section under a heading.
    private func section(_ heading: String) throws -> [Substring] {
        let lines = Self.text.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex(of: "## \(heading)"))
        return Array(lines[(start + 1)...].prefix { !$0.hasPrefix("## ") })
    }

    /// Columns method and permission of the table of methods, the permission without the conditions after its semicolon.
    private func rows() throws -> [(method: String, permission: String)] {
        try section("Methods").filter { $0.hasPrefix("| `") }.map { line in
            let columns = line.split(separator: "|", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            return (columns[1].trimmingCharacters(in: ["`"]), String(columns[3].prefix { $0 != ";" }))
        }
    }

    @Test("TOK-3 the methods and their permissions equal the table of requests")
    func methods() throws {
        let documented = try rows().map { "\($0.method): \($0.permission)" }
        let requests = RequestTable.all.map { "\($0.method): \($0.permission)" }
        #expect(Set(documented).symmetricDifference(requests) == [])
        #expect(documented.count == requests.count)
        #expect(Set(RequestTable.all.map { $0.method }).count == requests.count)
    }

    @Test("every event has a row", arguments: EventName.allCases)
    func events(event: EventName) throws {
        #expect(try section("Events").contains { $0.hasPrefix("| `\(event.rawValue)` |") })
    }

    @Test("every error code is listed", arguments: ErrorCode.allCases)
    func errors(code: ErrorCode) throws {
        #expect(try section("Errors").contains { $0.contains("`\(code.rawValue)`") })
    }

    @Test("every reason is listed", arguments: DisconnectReason.allCases)
    func reasons(reason: DisconnectReason) throws {
        #expect(try section("Reasons").contains { $0.contains("`\(reason.rawValue)`") })
    }

    @Test("every reason of a stream's end and every state of a subscription is listed")
    func details() throws {
        let events = try section("Events").joined()
        for reason in StreamEndReason.allCases { #expect(events.contains("`\(reason.rawValue)`")) }
        for state in SubscriptionChanged.State.allCases { #expect(events.contains("`\(state.rawValue)`")) }
        for change in SubsessionsChange.allCases { #expect(events.contains("`\(change.rawValue)`")) }
        for result in HelpResult.allCases { #expect(events.contains("`\(result.rawValue)`")) }
        for reason in VideoChangeReason.allCases { #expect(events.contains("`\(reason.rawValue)`")) }
    }
}
