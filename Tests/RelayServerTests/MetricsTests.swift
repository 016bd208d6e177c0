import MediaEngine
import RelayServer
import Testing

@testable import ControlServer

@Suite("Metrics")
struct MetricsTests {
    /// Parses the exposition format: each line is a comment, or a name with labels and a number.
    private func samples(_ text: String) throws -> [String: Double] {
        let line = /^([a-zA-Z_:][a-zA-Z0-9_:]*(?:\{(?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\]|\\["\\n])*",?)*\})?) (\S+)$/
        var samples: [String: Double] = [:]
        var declared: Set<Substring> = []
        #expect(text.hasSuffix("\n"))
        for row in text.split(separator: "\n") {
            if row.hasPrefix("# TYPE ") {
                let words = row.split(separator: " ")
                #expect(words.count == 4 && ["counter", "gauge", "histogram", "summary"].contains(words[3]))
                #expect(declared.insert(words[2]).inserted, "\(words[2]) is declared twice")
                continue
            }
            if row.hasPrefix("# HELP ") { continue }
            let match = try #require(try line.wholeMatch(in: row), "\(row)")
            let name = match.1.split(separator: "{")[0]
            let family = name.replacing(/_(bucket|sum|count)$/, with: "")
            #expect(declared.contains(name) || declared.contains(family[...]), "\(name) has no type")
            samples[String(match.1)] = Double(match.2)
        }
        return samples
    }

    @Test func arePrometheusText() async throws {
        try await withRelay { _, http in
            _ = try await http.request("GET", "/nowhere")
            _ = try await http.request("POST", "/v1/sessions/a/plain", body: #"{"direction":"publish"}"#)
            let answer = try await http.request("GET", "/metrics")
            #expect(answer.fields["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
            let samples = try samples(answer.text)
            #expect(samples["millrace_http_responses_total{status=\"404\"}"] == 1)
            #expect(samples["millrace_http_problems_total{code=\"notFound\"}"] == 1)
            #expect(samples["millrace_packets_dropped_total{cause=\"authentication\"}"] == 0)
            #expect(samples["millrace_forward_delay_seconds_count"] == 0)
            #expect(samples["millrace_forward_waiting_seconds_count"] == 0)
            for name in ["packet_delay", "first_frame", "layer_switch", "join"] {
                #expect(samples["millrace_\(name)_seconds_bucket{le=\"+Inf\"}"] == 0, "\(name)")
            }
            #expect(samples["millrace_sessions"] == 1)
            #expect(samples["millrace_worker_sessions{worker=\"0\"}"] == 1)
            #expect((0...1).contains(try #require(samples["millrace_worker_load{worker=\"0\"}"])))
            #expect(samples["millrace_streams"] == 1)
            #expect((samples["process_cpu_seconds_total"] ?? 0) > 0)
            #expect((samples["process_resident_memory_bytes"] ?? 0) > 1_000_000)
            #expect(samples.keys.contains { $0.hasPrefix("millrace_build_info{") })
        }
    }

    @Test func countersSayWhatTheyCount() async throws {
        try await withRelay { _, http in
            for row in try await http.request("GET", "/metrics").text.split(separator: "\n")
            where row.hasPrefix("# TYPE ") {
                let words = row.split(separator: " ")
                #expect((words[3] == "counter") == words[2].hasSuffix("_total"), "\(words[2])")
            }
        }
    }

    @Test("Buckets of a histogram count all delays below their bound, and agree with sum and count") func histogram()
        throws
    {
        var delays = DelayHistogram()
        for milliseconds: Int64 in [0, 1, 2, 40, 70_000] { delays.record(.milliseconds(milliseconds), packets: 1) }
        var text = PrometheusText()
        text.family("a_seconds", .histogram, "help")
        text.histogram(delays, exponents: 10...13)
        #expect(
            text.text
                == """
                # HELP a_seconds help
                # TYPE a_seconds histogram
                a_seconds_bucket{le="0.001024"} 2.0
                a_seconds_bucket{le="0.002048"} 3.0
                a_seconds_bucket{le="0.004096"} 3.0
                a_seconds_bucket{le="0.008192"} 3.0
                a_seconds_bucket{le="+Inf"} 5.0
                a_seconds_sum 70.043
                a_seconds_count 5.0

                """)
        #expect(try samples(text.text).count == 7)
    }

    @Test func labelsAreEscaped() throws {
        var text = PrometheusText()
        text.family("a_total", .counter, "line\nbreak \\ \"quote\"")
        text.sample(1, ["x": "a\"b\\c\nd"])
        #expect(
            text.text
                == "# HELP a_total line\\nbreak \\\\ \"quote\"\n# TYPE a_total counter\na_total{x=\"a\\\"b\\\\c\\nd\"} 1\n"
        )
        #expect(try samples(text.text).count == 1)
    }
}
