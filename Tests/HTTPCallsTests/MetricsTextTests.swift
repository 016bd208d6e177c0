import HTTPCalls
import Testing

@Suite("Metrics in text") struct MetricsTextTests {
    private let metrics = MetricsText(
        """
        # HELP process_cpu_seconds_total User and system CPU time
        # TYPE process_cpu_seconds_total counter
        process_cpu_seconds_total 1.5
        millrace_packets_forwarded_total{worker="0"} 100
        millrace_packets_forwarded_total{worker="1",note="a } and a space"} 23
        millrace_dropped_total{cause="malformed"} NaN
        broken
        also_broken x
        """)

    @Test("The value of a metric is the sum over its label sets; lines without a number are no samples")
    func sums() {
        #expect(metrics["millrace_packets_forwarded_total"] == 123)
        #expect(metrics["process_cpu_seconds_total"] == 1.5)
        #expect(metrics["millrace_dropped_total"]?.isNaN == true)
        #expect(metrics["broken"] == nil)
        #expect(metrics["also_broken"] == nil)
    }

    @Test("The samples of a metric have their label sets")
    func labels() {
        let samples = metrics.samples(of: "millrace_packets_forwarded_total")
        #expect(samples.map(\.value) == [100, 23])
        #expect(samples.map(\.labels) == [#"{worker="0"}"#, #"{worker="1",note="a } and a space"}"#])
        #expect(metrics.samples(of: "process_cpu_seconds_total").map(\.labels) == [""])
        #expect(metrics.samples(of: "broken").isEmpty)
    }
}
