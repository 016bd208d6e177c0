import Foundation

/// Formatting of the output of commands.
enum CommandOutput {
    static func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// Returns rows in columns, with the titles `head` above them.
    static func table(_ head: [String], _ rows: [[String]]) -> String {
        let all = [head] + rows
        let widths = head.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.map { row in
            var line = ""
            for (cell, width) in zip(row, widths) {
                line += cell + String(repeating: " ", count: width - cell.count + 2)
            }
            return line.trimmingCharacters(in: .whitespaces)
        }.joined(separator: "\n")
    }

    /// Replaces control characters, which could move the cursor, in a name chosen by a client.
    static func plain(_ text: String) -> String {
        String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 }))
    }

    /// - Parameter milliseconds: since 1970.
    static func time(_ milliseconds: Int64?) -> String {
        guard let milliseconds else { return "-" }
        return Date(timeIntervalSince1970: Double(milliseconds) / 1_000).formatted(.iso8601)
    }

    static func error(_ text: String) {
        FileHandle.standardError.write(Data(("millrace: " + text + "\n").utf8))
    }
}
