import Foundation

/// Checks whether a relay with `configuration` can run on this host, and advises what to change.
package struct Doctor: Sendable {
    package let configuration: RelayConfiguration

    package init(configuration: RelayConfiguration) {
        self.configuration = configuration
    }

    /// All checks, in reading order. Takes about half a second, because it measures the ciphers.
    package func examine() -> [DoctorFinding] {
        host() + crypto() + network() + ports() + [certificate()] + process()
    }

    /// Formats findings as aligned lines, such as `OK    kernel  6.18.0`, with the advice indented below.
    package static func text(_ findings: [DoctorFinding]) -> String {
        let width = findings.map(\.check.count).max() ?? 0
        var lines: [String] = []
        for finding in findings {
            let level = finding.level.rawValue.uppercased().padding(toLength: 4, withPad: " ", startingAt: 0)
            let check = finding.check.padding(toLength: width, withPad: " ", startingAt: 0)
            lines.append("\(level)  \(check)  \(finding.detail)")
            if let advice = finding.advice { lines.append(String(repeating: " ", count: width + 8) + "-> " + advice) }
        }
        return lines.joined(separator: "\n")
    }

    package static func json(_ findings: [DoctorFinding]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(findings), as: UTF8.self)
    }

    /// Formats a latency, such as `1.2 ms`.
    static func text(_ latency: Duration) -> String {
        let (seconds, attoseconds) = latency.components
        return String(format: "%.1f ms", Double(seconds) * 1e3 + Double(attoseconds) / 1e15)
    }

    /// Returns the trimmed text of a kernel file; nil if the file does not exist.
    static func kernelFile(_ path: String) -> String? {
        (try? String(contentsOfFile: path, encoding: .utf8))?.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
