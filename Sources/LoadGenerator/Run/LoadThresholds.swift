/// Limits that make a run fail if they are exceeded; nil is no limit. Limits of times are for 99th percentiles, in milliseconds.
package struct LoadThresholds: Sendable, Equatable {
    /// Percent of expected packets that never arrived.
    package var loss: Double?
    package var latencyP99: Double?
    package var freezes: Int?
    package var countersMissed: Int?
    /// Least mean over the sample, in dB.
    package var psnr: Double?
    package var joinTime: Double?
    package var firstFrame: Double?
    /// Nanoseconds of relay CPU time per forwarded packet.
    package var packetCPU: Double?

    /// A limit with its option and the value that it limits.
    private typealias Limit = (
        option: String, name: String, bound: Double?, unit: String, needsVideo: Bool, value: (LoadReport) -> Double?
    )

    private var limits: [Limit] {
        [
            ("max-loss", "loss", loss, "%", false, { $0.received.expected > 0 ? $0.received.lossPercent : nil }),
            ("max-latency-p99", "latency p99", latencyP99, "ms", true, { $0.video?.latency?.p99 }),
            ("max-freezes", "freezes", freezes.map(Double.init), "", true, { ($0.video?.freezes).map(Double.init) }),
            (
                "max-counters-missed", "frame counters missed", countersMissed.map(Double.init), "", true,
                { ($0.video?.countersMissed).map(Double.init) }
            ),
            ("max-join-time", "join time p99", joinTime, "ms", false, { $0.joinTime?.p99 }),
            ("max-first-frame", "first frame p99", firstFrame, "ms", true, { $0.firstFrame?.p99 }),
            ("max-packet-cpu", "relay CPU a packet", packetCPU, "ns", false, { $0.relay?.cpuNanosecondsPerPacket }),
            ("min-psnr", "PSNR", psnr, "dB", true, { $0.video?.psnr?.mean }),
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

    /// Returns one line for each limit that the report exceeds. A value that was not measured counts as exceeding it.
    func violations(of report: LoadReport) -> [String] {
        limits.compactMap { option, name, bound, unit, _, value in
            guard let bound else { return nil }
            guard let value = value(report) else {
                return "\(name): not measured, so the limit of \(bound.short) \(unit) is not met"
            }
            let isLeast = option == "min-psnr"
            guard isLeast ? value < bound : value > bound else { return nil }
            return "\(name): \(value.short) \(unit) is \(isLeast ? "less" : "more") than \(bound.short)"
        }
    }
}
