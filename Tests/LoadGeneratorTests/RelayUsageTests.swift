import HTTPCalls
import Testing

@testable import LoadGenerator

@Suite("Usage of a relay") struct RelayUsageTests {
    private let text = """
        process_cpu_seconds_total 1.5
        process_resident_memory_bytes 5.0e7
        millrace_packets_forwarded_total{worker="0"} 100
        millrace_packets_forwarded_total{worker="1",note="a } and a space"} 23
        """

    @Test("The usage comes from the metrics, and is nil if CPU time or packets are missing")
    func metrics() {
        #expect(
            RelayUsage(MetricsText(text))
                == RelayUsage(cpuNanoseconds: 1.5e9, forwardedPackets: 123, residentBytes: 5e7))
        #expect(RelayUsage(MetricsText("process_cpu_seconds_total 1")) == nil)
        #expect(RelayUsage(MetricsText("")) == nil)
    }
}
