import Foundation
import Testing

@testable import RelayServer

@Suite("Texts made from the table of configuration keys")
struct ConfigurationTextTests {
    @Test(
        "docs/configuration.md has the generated table of each section, word by word",
        arguments: ConfigurationKey.sections.indices)
    func document(index: Int) throws {
        let section = ConfigurationKey.sections[index]
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let document = try String(contentsOf: root.appending(path: "docs/configuration.md"), encoding: .utf8)
        let start = try #require(document.range(of: "\n## \(section.title)\n")?.upperBound)
        let text = document[start...]
        let end = text.range(of: "\n## ")?.lowerBound ?? text.endIndex
        let rows = text[..<end].split(separator: "\n").filter { $0.hasPrefix("|") }
        let expected = ConfigurationKey.markdown(section.keys).split(separator: "\n")
        #expect(rows.count == expected.count)
        for (row, generated) in zip(rows, expected) { #expect(row == generated) }
    }

    @Test("the example file has every key in a comment; without the first # of each line it sets all defaults")
    func example() async throws {
        let lines = ConfigurationKey.example.split(separator: "\n")
        #expect(lines.allSatisfy { $0.hasPrefix("#") && $0.count <= 130 })
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString + ".yaml")
        defer { try? FileManager.default.removeItem(at: file) }
        for (text, keys) in [
            (ConfigurationKey.example, []),
            (lines.map { $0.dropFirst() }.joined(separator: "\n"), ConfigurationKey.all.map(\.name)),
        ] {
            try Data(text.utf8).write(to: file)
            let resolved = try await ConfigurationLoader(file: file.path).load()
            #expect(resolved.configuration == RelayConfiguration())
            #expect(resolved.sources.keys.sorted() == keys.sorted())
        }
    }

    @Test("the help of a key is its first sentence without Markdown")
    func help() throws {
        let connections = try #require(ConfigurationKey.named("http.connections"))
        #expect(
            connections.help
                == "maximum number of open HTTP connections and WebSockets; less if the limit of open files requires it"
        )
        for key in ConfigurationKey.all {
            #expect(!key.help.isEmpty && !key.help.contains("`") && !key.help.contains("]("), "\(key.name)")
        }
    }

    @Test("each key is in one section and has a name of its own")
    func names() {
        let names = ConfigurationKey.all.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(Set(ConfigurationKey.all.map(\.flag)).count == names.count)
        #expect(ConfigurationKey.sections.reduce(0) { $0 + $1.keys.count } == names.count)
    }
}
