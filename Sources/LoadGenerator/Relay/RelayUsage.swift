import HTTPCalls

/// Resources that a relay has used since it started.
package struct RelayUsage: Sendable, Equatable {
    /// CPU time: of the worker threads of a relay in this process, of the whole process of a relay behind HTTP.
    package var cpuNanoseconds: Double
    /// Packets sent to subscribers.
    package var forwardedPackets: Double
    package var residentBytes: Double
}

extension RelayUsage {
    /// Nil if CPU time or packets are missing in the relay's metrics.
    init?(_ metrics: MetricsText) {
        guard let cpu = metrics["process_cpu_seconds_total"], let packets = metrics["millrace_packets_forwarded_total"]
        else { return nil }
        cpuNanoseconds = cpu * 1e9
        forwardedPackets = packets
        residentBytes = metrics["process_resident_memory_bytes"] ?? 0
    }
}
