/// Values of a Prometheus text exposition (format 0.0.4), summed over all label sets of each name.
package struct MetricsText: Sendable {
    private var sums: [String: Double] = [:]

    package init(_ text: String) {
        for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
            let nameEnd = line.firstIndex { $0 == "{" || $0 == " " } ?? line.endIndex
            // A label value may contain spaces and braces; the number follows the last brace.
            let rest = line[nameEnd...].lastIndex(of: "}").map { line[line.index(after: $0)...] } ?? line[nameEnd...]
            guard let number = rest.split(separator: " ").first.flatMap({ Double(String($0)) }) else { continue }
            sums[String(line[..<nameEnd]), default: 0] += number
        }
    }

    /// Returns the sum over all label sets; nil if no line has this name.
    package subscript(name: String) -> Double? { sums[name] }

    /// Usage that the relay reports; nil if its CPU time or its packets are missing.
    package var usage: RelayUsage? {
        guard let cpu = sums["process_cpu_seconds_total"], let packets = sums["millrace_packets_forwarded_total"] else {
            return nil
        }
        return RelayUsage(
            cpuNanoseconds: cpu * 1e9, forwardedPackets: packets,
            residentBytes: sums["process_resident_memory_bytes"] ?? 0)
    }
}
