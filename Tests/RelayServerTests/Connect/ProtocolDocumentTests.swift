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

    @Test("every method has a row", arguments: Method.allCases)
    func methods(method: Method) throws {
        #expect(try section("Methods").contains { $0.hasPrefix("| `\(method.rawValue)` |") })
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
