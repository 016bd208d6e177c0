import Foundation

/// A configuration together with where each value came from.
package struct ResolvedConfiguration: Sendable {
    package struct Entry: Sendable, Codable, Equatable {
        package var key: String
        package var value: String
        package var source: String
        package var flag: String
        package var environment: String
        package var allowed: String
    }

    package var configuration: RelayConfiguration
    package var sources: [String: ConfigurationSource]
    /// Things that are not errors but that an operator should hear, such as environment variables that no key has.
    package var warnings: [String]

    /// One row a key; secrets are masked.
    package var entries: [Entry] {
        ConfigurationKey.all.map { key in
            var value = key.read(configuration)
            if key.isSecret, !value.isEmpty { value = "********" }
            return Entry(
                key: key.name, value: value, source: (sources[key.name] ?? .builtIn).description, flag: key.flag,
                environment: key.environmentVariable, allowed: key.allowed)
        }
    }

    /// `key = value  # source`, aligned.
    package var text: String {
        let rows = entries.map { ("\($0.key) = \($0.value.isEmpty ? "\"\"" : $0.value)", $0.source) }
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { $0.0 + String(repeating: " ", count: width - $0.0.count) + "  # " + $0.1 }.joined(
            separator: "\n")
    }

    package func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(entries), as: UTF8.self)
    }
}
