/// Samples of a Prometheus text exposition (format 0.0.4). Lines that are no samples are left out.
package struct MetricsText: Sendable {
    package struct Sample: Sendable, Hashable {
        /// Label set as in the text, with its braces; empty: none.
        package var labels: String
        package var value: Double
    }

    private var samples: [String: [Sample]] = [:]

    package init(_ text: String) {
        for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
            let name = line.prefix { $0 != "{" && $0 != " " }
            // A label value may contain spaces and braces; the number follows the last brace.
            let labels = line[name.endIndex...]
            let end = labels.lastIndex(of: "}").map { labels.index(after: $0) } ?? labels.startIndex
            guard let value = labels[end...].split(separator: " ").first.flatMap({ Double(String($0)) }) else {
                continue
            }
            samples[String(name), default: []].append(Sample(labels: String(labels[..<end]), value: value))
        }
    }

    /// Returns the samples of a metric, in the order of the text.
    package func samples(of name: String) -> [Sample] { samples[name] ?? [] }

    /// Returns the sum over all label sets; nil if the metric is missing.
    package subscript(name: String) -> Double? { samples[name]?.reduce(0) { $0 + $1.value } }
}
