import Foundation
import Testing

@Suite("Tutorial: its text") struct TutorialTextTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    @Test("the article shows the program that is compiled here, line by line") func sameText() throws {
        let sources = Self.root.appendingPathComponent("Sources")
        let article = try String(
            contentsOf: sources.appendingPathComponent("MillraceClient/MillraceClient.docc/FiveMinutes.md"),
            encoding: .utf8)
        let program = try String(
            contentsOf: sources.appendingPathComponent("MillraceTutorial/Tutorial.swift"), encoding: .utf8)
        let shown = article.components(separatedBy: "```swift\n").dropFirst().first?
            .components(separatedBy: "```").first
        #expect(shown == program)
    }

    @Test("CAN-4 the document about embedding shows the program that is compiled here, line by line")
    func embedding() throws {
        let article = try String(contentsOf: Self.root.appendingPathComponent("docs/embedding.md"), encoding: .utf8)
        let program = try String(
            contentsOf: Self.root.appendingPathComponent("Tests/MillraceClientTests/EndToEnd/BrightnessMeter.swift"),
            encoding: .utf8)
        let shown = article.components(separatedBy: "```swift\n").dropFirst().map {
            $0.components(separatedBy: "```")[0]
        }
        #expect(shown.contains(program))
    }
}
