import Foundation

/// Report as two columns of text.
struct ReportTable {
    private var rows: [(name: String, value: String)] = []

    mutating func row(_ name: String, _ value: String) { rows.append((name, value)) }

    /// Adds the percentiles of a time; nothing if it was not measured.
    mutating func row(_ name: String, _ spread: LoadReport.Spread?) {
        guard let spread else { return }
        row(
            name,
            "p50 \(spread.p50.short)  p99 \(spread.p99.short)  max \(spread.max.short) ms  (\(spread.count))")
    }

    /// Returns the rows, followed by warnings and failures.
    func text(warnings: [String], failures: [String]) -> String {
        let width = rows.map(\.name.count).max() ?? 0
        let lines = rows.map { $0.name.padding(toLength: width + 2, withPad: " ", startingAt: 0) + $0.value }
        return (lines + warnings.map { "warning: \($0)" } + failures.map { "failed: \($0)" }).joined(separator: "\n")
    }
}

/// Result of a run that can be written as JSON.
package protocol JSONReport: Encodable {}

extension JSONReport {
    /// The result as one JSON object, keys sorted.
    package var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }
}
