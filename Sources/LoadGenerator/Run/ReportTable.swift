import Foundation

/// Report as two columns of text.
enum ReportTable {
    /// Returns the rows that have a value, followed by warnings and failures.
    static func text(_ rows: KeyValuePairs<String, String?>, warnings: [String], failures: [String]) -> String {
        let rows = rows.compactMap { name, value in value.map { (name, $0) } }
        let width = rows.map(\.0.count).max() ?? 0
        let lines = rows.map { $0.padding(toLength: width + 2, withPad: " ", startingAt: 0) + $1 }
        return (lines + warnings.map { "warning: \($0)" } + failures.map { "failed: \($0)" }).joined(separator: "\n")
    }
}

extension LoadReport.Spread {
    /// The percentiles as a value of a table.
    var line: String { "p50 \(p50.short)  p99 \(p99.short)  max \(max.short) ms  (\(count))" }
}

extension Double {
    /// Text for display, with about three digits.
    var short: String {
        switch abs(self) {
        case 0: "0"
        case ..<10: String(format: "%.2f", self)
        case ..<100: String(format: "%.1f", self)
        default: String(format: "%.0f", self)
        }
    }
}
