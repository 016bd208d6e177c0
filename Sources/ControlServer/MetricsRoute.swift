internal import CLinuxNet
internal import Hummingbird
internal import MediaEngine

/// `/metrics`: the engine's counters, the HTTP doors' and the process's, as Prometheus text.
struct MetricsRoute {
    let engine: MediaEngine
    let statistics: ControlStatistics
    let bodies: OpenBodies

    func add(to table: RouteTable) {
        table.add("metrics", [.get: { _, _ in .text(await text(), type: PrometheusText.contentType) }])
    }

    private func text() async -> String {
        var text = PrometheusText()
        text.family("millrace_build_info", .gauge, "What is running; always 1")
        text.sample(
            1,
            [
                "version": BuildInfo.version, "swift": BuildInfo.swiftVersion, "build": BuildInfo.configuration,
                "arch": BuildInfo.architecture,
            ])
        process(&text)
        await engine(&text)
        http(&text)
        return text.text
    }

    private func process(_ text: inout PrometheusText) {
        text.family("process_cpu_seconds_total", .counter, "User and system CPU time of the process in seconds")
        text.sample(Double(millrace_process_cpu_ns()) / 1e9)
        text.family("process_resident_memory_bytes", .gauge, "Resident memory of the process in bytes")
        text.sample(millrace_resident_bytes())
        text.family("millrace_draining", .gauge, "1 while the relay shuts down")
        text.sample(bodies.isDraining ? 1 : 0)
    }

    private func engine(_ text: inout PrometheusText) async {
        let sessions = await engine.sessions()
        text.family("millrace_sessions", .gauge, "Sessions")
        text.sample(sessions.count)
        text.family("millrace_streams", .gauge, "Published streams")
        text.sample(sessions.reduce(0) { $0 + $1.streams })
        text.family("millrace_subscribers", .gauge, "Subscribing transports")
        text.sample(sessions.reduce(0) { $0 + $1.subscribers })
        for counter in await engine.counters().all {
            text.family(counter.name, counter.isGauge ? .gauge : .counter, counter.help)
            text.sample(counter.value)
        }
    }

    private func http(_ text: inout PrometheusText) {
        let values = statistics.values
        text.family("millrace_http_connections", .gauge, "Open HTTP connections")
        text.sample(values.connections)
        text.family("millrace_http_connections_total", .counter, "Accepted HTTP connections")
        text.sample(values.connectionsTotal)
        text.family("millrace_http_responses_total", .counter, "HTTP answers by status code")
        for (status, count) in values.answers.sorted(by: { $0.key < $1.key }) { text.sample(count, ["status": String(status)]) }
        text.family("millrace_http_problems_total", .counter, "HTTP error answers by code")
        for (code, count) in values.problems.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            text.sample(count, ["code": code.rawValue])
        }
        text.family("millrace_http_canvas_bodies", .gauge, "Canvas bodies being sent")
        text.sample(values.bodies)
        text.family("millrace_http_canvas_bytes_total", .counter, "Bytes of canvas bodies sent")
        text.sample(values.bodyBytes)
    }
}
