/// Limits that make a run fail if they are exceeded; nil is no limit.
package struct LoadThresholds: Sendable, Equatable {
    /// Percent of expected packets that never arrived.
    package var loss: Double?
    /// 99th percentile of the latency in milliseconds.
    package var latencyP99: Double?
    package var freezes: Int?
    package var countersMissed: Int?
    /// Least mean over the sample, in dB.
    package var psnr: Double?
    /// 99th percentile of the join time in milliseconds.
    package var joinTime: Double?
    /// 99th percentile of the time to the first frame in milliseconds.
    package var firstFrame: Double?
    /// Nanoseconds of relay CPU time per forwarded packet.
    package var packetCPU: Double?

    /// A limit with its option and the value that it limits.
    private struct Limit {
        var option: String
        var name: String
        /// Nil: no limit.
        var bound: Double?
        var unit = ""
        var needsVideo = true
        var isLeast = false
        var value: (LoadReport) -> Double?

        /// Returns a line if the report exceeds the limit. A value that was not measured counts as exceeding it.
        func violation(of report: LoadReport) -> String? {
            guard let bound else { return nil }
            guard let value = value(report) else {
                return "\(name): not measured, so the limit of \(bound.short) \(unit) is not met"
            }
            guard isLeast ? value < bound : value > bound else { return nil }
            return "\(name): \(value.short) \(unit) is \(isLeast ? "less" : "more") than \(bound.short)"
        }
    }

    private var limits: [Limit] {
        [
            Limit(option: "max-loss", name: "loss", bound: loss, unit: "%", needsVideo: false) {
                $0.received.expected > 0 ? $0.received.lossPercent : nil
            },
            Limit(option: "max-latency-p99", name: "latency p99", bound: latencyP99, unit: "ms") {
                $0.video?.latency?.p99
            },
            Limit(option: "max-freezes", name: "freezes", bound: freezes.map(Double.init)) {
                $0.video.map { Double($0.freezes) }
            },
            Limit(option: "max-counters-missed", name: "frame counters missed", bound: countersMissed.map(Double.init))
            {
                $0.video.map { Double($0.countersMissed) }
            },
            Limit(option: "max-join-time", name: "join time p99", bound: joinTime, unit: "ms", needsVideo: false) {
                $0.joinTime?.p99
            },
            Limit(option: "max-first-frame", name: "first frame p99", bound: firstFrame, unit: "ms") {
                $0.firstFrame?.p99
            },
            Limit(option: "max-packet-cpu", name: "relay CPU a packet", bound: packetCPU, unit: "ns", needsVideo: false)
            {
                $0.relay?.cpuNanosecondsPerPacket
            },
            Limit(option: "min-psnr", name: "PSNR", bound: psnr, unit: "dB", isLeast: true) { $0.video?.psnr?.mean },
        ]
    }

    /// - Throws: `LoadError.invalidSetting` for a limit that is negative, or that cannot be checked in a run.
    func validate(plan: LoadPlan) throws(LoadError) {
        let hasVideo = plan.video != nil && plan.decodeSample > 0 && plan.subscribers > 0
        for limit in limits {
            guard let bound = limit.bound else { continue }
            try LoadError.check(
                hasVideo || !limit.needsVideo, limit.option, "cannot be checked: no video is decoded in this run")
            try LoadError.check(bound >= 0 && bound.isFinite, limit.option, "is negative")
        }
    }

    /// Returns one line for each limit that the report exceeds.
    func violations(of report: LoadReport) -> [String] { limits.compactMap { $0.violation(of: report) } }
}
