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
        var bound: Double
        var unit: String
        var needsVideo = true
        var isLeast = false
        var value: (LoadReport) -> Double?

        /// Returns a line if the report exceeds the limit. A value that was not measured counts as exceeding it.
        func violation(of report: LoadReport) -> String? {
            let limit = bound.short
            guard let value = value(report) else {
                return "\(name): not measured, so the limit of \(limit) \(unit) is not met"
            }
            guard isLeast ? value < bound : value > bound else { return nil }
            return "\(name): \(value.short) \(unit) is \(isLeast ? "less" : "more") than \(limit)"
        }
    }

    private var limits: [Limit] {
        func limit(
            _ option: String, _ name: String, _ bound: Double?, _ unit: String, needsVideo: Bool = true,
            isLeast: Bool = false, _ value: @escaping (LoadReport) -> Double?
        ) -> Limit? {
            bound.map {
                Limit(
                    option: option, name: name, bound: $0, unit: unit, needsVideo: needsVideo, isLeast: isLeast,
                    value: value)
            }
        }
        let all = [
            limit("max-loss", "loss", loss, "%", needsVideo: false) {
                $0.received.expected > 0 ? $0.received.lossPercent : nil
            },
            limit("max-latency-p99", "latency p99", latencyP99, "ms") { $0.video?.latency?.p99 },
            limit("max-freezes", "freezes", freezes.map(Double.init), "") { $0.video.map { Double($0.freezes) } },
            limit("max-counters-missed", "frame counters missed", countersMissed.map(Double.init), "") {
                $0.video.map { Double($0.countersMissed) }
            },
            limit("max-join-time", "join time p99", joinTime, "ms", needsVideo: false) { $0.joinTime?.p99 },
            limit("max-first-frame", "first frame p99", firstFrame, "ms") { $0.firstFrame?.p99 },
            limit("max-packet-cpu", "relay CPU a packet", packetCPU, "ns", needsVideo: false) {
                $0.relay?.cpuNanosecondsPerPacket
            },
            limit("min-psnr", "PSNR", psnr, "dB", isLeast: true) { $0.video?.psnr?.mean },
        ]
        return all.compactMap(\.self)
    }

    /// - Throws: `LoadError.invalidSetting` for a limit that is negative, or that cannot be checked in a run.
    func validate(plan: LoadPlan) throws(LoadError) {
        let hasVideo = plan.video != nil && plan.decodeSample > 0 && plan.subscribers > 0
        for limit in limits {
            try LoadError.check(
                hasVideo || !limit.needsVideo, limit.option, "cannot be checked: no video is decoded in this run")
            try LoadError.check(limit.bound >= 0 && limit.bound.isFinite, limit.option, "is negative")
        }
    }

    /// Returns one line for each limit that the report exceeds.
    func violations(of report: LoadReport) -> [String] { limits.compactMap { $0.violation(of: report) } }
}
