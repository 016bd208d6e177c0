import Testing

@testable import LoadGenerator

@Suite struct MetricsTextTests {
    private let text = """
        # HELP process_cpu_seconds_total User and system CPU time
        # TYPE process_cpu_seconds_total counter
        process_cpu_seconds_total 1.5
        process_resident_memory_bytes 5.0e7
        millrace_packets_forwarded_total{worker="0"} 100
        millrace_packets_forwarded_total{worker="1",note="a } and a space"} 23
        millrace_dropped_total{cause="malformed"} NaN
        broken
        also_broken x
        """

    @Test func sumsOverLabels() {
        let metrics = MetricsText(text)
        #expect(metrics["millrace_packets_forwarded_total"] == 123)
        #expect(metrics["process_cpu_seconds_total"] == 1.5)
        #expect(metrics["broken"] == nil)
        #expect(metrics["also_broken"] == nil)
    }

    @Test func givesTheRelaysUsage() {
        #expect(
            MetricsText(text).usage
                == RelayUsage(cpuNanoseconds: 1.5e9, forwardedPackets: 123, residentBytes: 5e7))
        #expect(MetricsText("process_cpu_seconds_total 1").usage == nil)
        #expect(MetricsText("").usage == nil)
    }
}
