import CLinuxNet
import Hummingbird
import MediaEngine
import Recording

/// `/metrics`: counters of the engine, the HTTP endpoints and the process, as Prometheus text.
struct MetricsRoute {
    let engine: MediaEngine
    let recorder: SessionRecorder?
    let statistics: ControlStatistics
    let bodies: OpenBodies
    let parts: ControlParts
    /// Counts the crash reports of earlier runs; nil if there is no directory for them.
    var crashReports: (@Sendable () -> Int)?

    func add(to table: RouteTable) {
        table.add("metrics", [.get: { _, _ in .text(await text(), type: PrometheusText.contentType) }])
    }

    private func text() async -> String {
        var text = PrometheusText()
        text.family("millrace_build_info", .gauge, "Version and build of the relay; always 1")
        text.sample(
            1,
            [
                "version": BuildInfo.version, "swift": BuildInfo.swiftVersion, "build": BuildInfo.configuration,
                "arch": BuildInfo.architecture,
            ])
        process(&text)
        await engine(&text)
        await recordings(&text)
        http(&text)
        await SessionMetrics(parts: parts).add(to: &text)
        if let edge = parts.cluster {
            await ClusterMetrics(edge: edge, liveSessions: parts.liveSessions).add(to: &text)
        }
        return text.text
    }

    private func process(_ text: inout PrometheusText) {
        text.single(
            "process_cpu_seconds_total", .counter, "User and system CPU time of the process in seconds",
            Double(millrace_process_cpu_ns()) / 1e9)
        text.single(
            "process_resident_memory_bytes", .gauge, "Resident memory of the process in bytes",
            millrace_resident_bytes())
        text.single(
            "millrace_heap_bytes", .gauge, "Bytes that the process has allocated and not freed", millrace_heap_bytes())
        text.single(
            "millrace_crash_reports", .gauge, "Crash reports of earlier runs in the directory for them",
            crashReports?() ?? 0)
        text.single("millrace_draining", .gauge, "1 while the relay shuts down", bodies.isDraining ? 1 : 0)
    }

    private func engine(_ text: inout PrometheusText) async {
        let counters = await engine.counters()
        for counter in counters.all {
            text.family("millrace_" + counter.name, .counter, counter.help)
            text.sample(counter.value)
        }
        text.family("millrace_packets_dropped_total", .counter, "Datagrams dropped on arrival, by cause")
        for (cause, count) in counters.dropped { text.sample(count, ["cause": cause]) }
        text.family(
            "millrace_media_path_failures_total", .counter, "WebRTC peers without media after 10 s, by cause")
        for (cause, count) in counters.pathFailures { text.sample(count, ["cause": cause]) }
        text.family(
            "millrace_send_drops_total", .counter, "Datagrams that could not be sent, by cause; sends never wait")
        for (cause, count) in counters.sendDropped { text.sample(count, ["cause": cause]) }
        for gauge in counters.gauges {
            text.family("millrace_" + gauge.name, .gauge, gauge.help)
            text.sample(gauge.value)
        }
        text.single(
            "millrace_stream_events_missed_total", .counter,
            "Stream events dropped because a reader's queue was full; the reader then reads the state",
            engine.missedEvents + statistics.values.connect.eventsMissed)
        text.single(
            "millrace_worker_cpu_seconds_total", .counter, "CPU time of the media workers in seconds",
            Double(counters.workerCPU) / 1e9)
        workers(&text)
        text.family(
            "millrace_forward_delay_seconds", .summary, "Time from arrival to send of forwarded packets in seconds")
        sample(counters.delay, &text)
        text.family(
            "millrace_forward_waiting_seconds", .summary,
            "Part of the delay for which packets were gathered to share send calls, in seconds")
        sample(counters.waiting, &text)
        text.family(
            "millrace_packet_delay_seconds", .histogram, "Time from arrival to send of forwarded packets in seconds")
        text.histogram(counters.delay, exponents: 7...18)
        text.family(
            "millrace_first_frame_seconds", .histogram,
            "Time from a subscription to a video that arrives until its first frame is forwarded, in seconds")
        text.histogram(counters.firstFrameDelay, exponents: 10...24)
        text.family(
            "millrace_layer_switch_seconds", .histogram,
            "Time from the choice of another encoding or spatial layer for a subscriber to its first frame in seconds")
        text.histogram(counters.switchDelay, exponents: 10...24)
        text.family(
            "millrace_join_seconds", .histogram, "Time from a participant's request to join to its answer in seconds")
        text.histogram(statistics.values.connect.joinDelay, exponents: 7...24)
    }

    private func sample(_ delays: DelayHistogram, _ text: inout PrometheusText) {
        for (label, quantile) in [("0.5", 0.5), ("0.99", 0.99), ("1", 1.0)] {
            text.sample(delays.quantile(quantile).seconds, ["quantile": label])
        }
        text.sample(delays.sum.seconds, suffix: "_sum")
        text.sample(Double(delays.total), suffix: "_count")
    }

    private func workers(_ text: inout PrometheusText) {
        let workers = engine.workerSnapshots.enumerated()
        text.family("millrace_worker_load", .gauge, "CPU use of each media worker in the last second, 0 to 1")
        for (index, worker) in workers { text.sample(worker.load, ["worker": String(index)]) }
        text.family("millrace_worker_sessions", .gauge, "Sessions of each media worker")
        for (index, worker) in workers { text.sample(worker.sessions, ["worker": String(index)]) }
    }

    private func recordings(_ text: inout PrometheusText) async {
        let statuses = await recorder?.statuses() ?? []
        text.single(
            "millrace_recordings", .gauge, "Running recordings",
            statuses.count { $0.phase.isRunning })
        text.single(
            "millrace_recordings_suspended", .gauge, "Recordings suspended because the disk refuses writes",
            statuses.count { $0.phase == .suspended })
        let totals = await recorder?.totals ?? RecordingTotals()
        text.single(
            "millrace_recording_suspensions_total", .counter, "Number of times that a recording could not be written",
            totals.suspensions)
        text.single(
            "millrace_recording_unwritten_frames_total", .counter, "Frames left out of suspended recordings",
            totals.unwrittenFrames)
        text.single(
            "millrace_recording_damaged_frames_total", .counter, "Damaged frames left out of recordings",
            totals.damagedFrames)
        text.single(
            "millrace_recording_time_jumps_total", .counter, "Jumps of RTP time in recorded streams", totals.timeJumps)
        text.single(
            "millrace_recording_failures_total", .counter, "Recordings that could not begin or that failed",
            await recorder?.failureCount ?? 0)
        let compositions = await recorder?.compositionCounts ?? CompositionCounts()
        text.family("millrace_recording_compositions", .gauge, "Recorded sessions that are to be composed to one file")
        text.sample(compositions.open)
        text.family(
            "millrace_recording_compositions_total", .counter,
            "Recorded sessions that were composed to one file, by result")
        text.sample(compositions.composed, ["result": "composed"])
        text.sample(compositions.failed, ["result": "failed"])
        text.single(
            "millrace_recording_journal_lost_total", .counter, "Entries of journals that were not written",
            parts.liveSessions.environment.context.journal?.lost ?? 0)
    }

    private func http(_ text: inout PrometheusText) {
        let values = statistics.values
        text.single("millrace_http_connections", .gauge, "Open HTTP connections", values.connections)
        text.single("millrace_http_connections_total", .counter, "Accepted HTTP connections", values.connectionsTotal)
        text.single(
            "millrace_http_accept_pauses_total", .counter,
            "Pauses of accepting HTTP connections because file descriptors ran short", values.acceptPauses)
        text.family("millrace_http_responses_total", .counter, "HTTP answers by status code")
        for (status, count) in values.answers.sorted(by: { $0.key < $1.key }) {
            text.sample(count, ["status": String(status)])
        }
        text.family("millrace_http_problems_total", .counter, "HTTP error answers by code")
        for (code, count) in values.problems.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            text.sample(count, ["code": code.rawValue])
        }
        text.family("millrace_http_limit_refusals_total", .counter, "HTTP requests refused for a limit, by its key")
        for (limit, count) in values.limits.sorted(by: { $0.key < $1.key }) { text.sample(count, ["limit": limit]) }
        text.single("millrace_http_waiting_viewers", .gauge, "WHEP requests that wait for a stream", values.waits)
        text.single("millrace_http_canvas_bodies", .gauge, "Canvas bodies being sent", values.bodies)
        text.single("millrace_http_canvas_bytes_total", .counter, "Bytes of canvas bodies sent", values.bodyBytes)
        text.single(
            "millrace_http_canvas_dropped_total", .counter,
            "Frames and audio blocks that slow readers of canvas bodies did not receive", values.bodyDrops)
        text.single(
            "millrace_http_canvas_time_jumps_total", .counter, "Reported jumps of RTP time in canvas bodies",
            values.bodyRestarts)
        text.single(
            "millrace_programmes", .gauge, "Running programmes of sessions",
            parts.liveSessions.programmes.count)
        text.single("millrace_http_live_bodies", .gauge, "Bodies of live streams being sent", values.liveBodies)
        text.single(
            "millrace_http_live_bytes_total", .counter, "Bytes of live streams sent over HTTP", values.liveBytes)
        text.single(
            "millrace_http_live_skips_total", .counter,
            "Skips to a key frame because the reader of a live stream fell behind", values.liveSkips)
        text.single(
            "millrace_http_live_disconnects_total", .counter,
            "Readers of live streams disconnected because they fell behind too often", values.liveDisconnects)
    }
}
