/// Writes the Prometheus text exposition format 0.0.4.
///
/// ```swift
/// var text = PrometheusText()
/// text.family("millrace_sessions", .gauge, "Sessions")
/// text.sample(12)
/// ```
package struct PrometheusText: Sendable {
    package enum Kind: String, Sendable {
        case counter
        case gauge
        case histogram
        case summary
    }

    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    package private(set) var text = ""
    private var name = ""

    package init() {}

    /// Begins a metric, to which the samples that follow belong.
    ///
    /// - Parameter name: `[a-zA-Z_:][a-zA-Z0-9_:]*`, with its unit, and `_total` for counters.
    package mutating func family(_ name: String, _ kind: Kind, _ help: String) {
        self.name = name
        text += "# HELP \(name) \(Self.escaped(help, quotes: false))\n# TYPE \(name) \(kind.rawValue)\n"
    }

    /// Writes a metric with one sample and no labels.
    package mutating func single(_ name: String, _ kind: Kind, _ help: String, _ value: some BinaryInteger) {
        family(name, kind, help)
        sample(value)
    }

    package mutating func single(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
        family(name, kind, help)
        sample(value)
    }

    package mutating func sample(_ value: some BinaryInteger, _ labels: KeyValuePairs<String, String> = [:]) {
        line(String(value), labels)
    }

    /// - Parameter suffix: `_sum` or `_count` of a summary.
    package mutating func sample(_ value: Double, _ labels: KeyValuePairs<String, String> = [:], suffix: String = "") {
        line(
            value.isNaN ? "NaN" : value.isInfinite ? (value < 0 ? "-Inf" : "+Inf") : "\(value)", labels, suffix: suffix)
    }

    private mutating func line(_ value: String, _ labels: KeyValuePairs<String, String>, suffix: String = "") {
        text += name + suffix
        if !labels.isEmpty {
            text +=
                "{" + labels.map { "\($0.key)=\"\(Self.escaped($0.value, quotes: true))\"" }.joined(separator: ",")
                + "}"
        }
        text += " \(value)\n"
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        var out = ""
        for character in text {
            switch character {
            case "\\": out += "\\\\"
            case "\n": out += "\\n"
            case "\"" where quotes: out += "\\\""
            default: out.append(character)
            }
        }
        return out
    }
}
