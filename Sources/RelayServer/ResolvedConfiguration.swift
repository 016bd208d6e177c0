import Foundation

/// A configuration with the source of each value.
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
    /// Warnings for the operator, such as unknown environment variables.
    package var warnings: [String]

    /// One entry for each key; secrets are masked.
    package var entries: [Entry] {
        ConfigurationKey.all.map { key in
            var value = key.read(configuration)
            if key.isSecret, !value.isEmpty { value = "********" }
            return Entry(
                key: key.name, value: value, source: (sources[key.name] ?? .builtIn).description, flag: key.flag,
                environment: key.environmentVariable, allowed: key.allowed)
        }
    }

    /// Aligned lines of the form `key = value  # source`.
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
