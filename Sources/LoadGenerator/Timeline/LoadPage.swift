/// HTML page that `millrace load --report` writes: plots of the timeline and the table of the report, without scripts or external
/// resources.
package struct LoadPage: Sendable {
    private let report: LoadReport
    private let points: [TimelineDocument.Row]
    private let secondsPerPoint: Int

    package init(_ report: LoadReport, _ timeline: LoadTimeline) {
        self.report = report
        points = timeline.points.map { TimelineDocument.Row($0) }
        secondsPerPoint = timeline.samplesPerPoint
    }

    package var html: String {
        let outcome =
            report.isSuccess
            ? "<p class=\"outcome\">All limits are met.</p>"
            : "<p class=\"outcome failed\">Failed: \(report.failures.joined(separator: "; ").escapedForHTML)</p>"
        let span = secondsPerPoint == 1 ? "a second" : "\(secondsPerPoint) s, rates as means"
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <meta name="color-scheme" content="light dark">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <title>Load report: \(report.settings.target.escapedForHTML)</title>
            <style>
            \(Self.style)
            </style>
            </head>
            <body>
            <h1>Load report: \(report.settings.target.escapedForHTML)</h1>
            \(outcome)
            <p>Each point is \(span). Subscribers join during the shaded time, which the rates of the report leave out.</p>
            \(plots.map(\.html).joined(separator: "\n"))
            <h2>Report</h2>
            <pre>\(report.table.escapedForHTML)</pre>
            </body>
            </html>

            """
    }

    private var plots: [LinePlot] {
        var plots = [
            plot(
                "Bit rate", "Mb/s", ("received", { $0.receivedKilobitsPerSecond / 1_000 }),
                ("sent by publishers", { $0.sentKilobitsPerSecond / 1_000 })),
            plot(
                "Packets", "a second", ("received", { $0.receivedPacketsPerSecond }),
                ("sent by publishers", { $0.sentPacketsPerSecond })),
            plot("Lost packets", "in each point", ("lost", { Double(max(0, $0.lost)) })),
            plot(
                "Subscriptions", "count", ("connected", { Double($0.connected) }),
                ("failed to join", { Double($0.failedJoins) })),
        ]
        if report.video != nil {
            plots += [
                plot(
                    "Latency from capture to decoded frame", "ms", ("p50", { $0.latencyMilliseconds?.p50 }),
                    ("p99", { $0.latencyMilliseconds?.p99 }), ("max", { $0.latencyMilliseconds?.max })),
                plot("Decoded frames of the sample", "a second", ("decoded", { $0.framesPerSecond })),
                plot(
                    "Freezes and missed frames of the sample", "in each point", ("freezes", { Double($0.freezes) }),
                    ("missed frames", { Double($0.countersMissed) })),
            ]
        }
        plots.append(
            plot("The generator's busiest thread", "% of a core", ("busiest thread", { $0.busiestThread * 100 })))
        return plots
    }

    private func plot(
        _ title: String, _ unit: String, _ series: (name: String, value: (TimelineDocument.Row) -> Double?)...
    ) -> LinePlot {
        LinePlot(
            title: title, unit: unit, times: points.map(\.end),
            series: series.map { one in (one.name, points.map(one.value)) },
            rampEnd: points.last { !$0.measured }?.end ?? 0)
    }

    private static let style = """
        :root { --text: #1d232b; --back: #ffffff; --soft: #5b6673; --grid: #dde2e8; --ramp: #eef1f5; --bad: #b3261e;
            --s0: #1a62c4; --s1: #b4540a; --s2: #7a3aa8; --s3: #1f7a4d; }
        @media (prefers-color-scheme: dark) { :root { --text: #e4e9ef; --back: #14181d; --soft: #9aa6b3; --grid: #303843;
            --ramp: #1e242c; --bad: #ff8a80; --s0: #74adff; --s1: #ffad66; --s2: #cf9bf5; --s3: #6fd6a4; } }
        body { margin: 1.5rem auto; padding: 0 1rem; max-width: 760px; color: var(--text); background: var(--back);
            font: 15px/1.5 system-ui, sans-serif; }
        h1 { font-size: 1.4rem; overflow-wrap: anywhere; }
        .failed { color: var(--bad); }
        figure { margin: 1.5rem 0; }
        figcaption { color: var(--soft); }
        figcaption b { color: var(--text); }
        .key { white-space: nowrap; margin-left: .6rem; }
        .plot { width: 100%; height: auto; }
        .plot text { fill: var(--soft); font: 12px system-ui, sans-serif; }
        .plot .x { text-anchor: middle; }
        .plot .y { text-anchor: end; }
        .grid { stroke: var(--grid); fill: none; }
        .ramp { fill: var(--ramp); }
        .line { fill: none; stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; }
        .s0 { stroke: var(--s0); }
        .s1 { stroke: var(--s1); stroke-dasharray: 7 4; }
        .s2 { stroke: var(--s2); stroke-dasharray: 2 5; }
        .s3 { stroke: var(--s3); stroke-dasharray: 9 3 2 3; }
        pre { overflow-x: auto; padding: .8rem; background: var(--ramp); font-size: 13px; }
        """
}
