package import MediaBase

/// Limits that make a run fail if they are exceeded; nil is no limit.
package struct LoadThresholds: Sendable, Equatable {
    /// Percent of expected packets that never arrived.
    package var loss: Double?
    package var latencyP99: MediaTime?
    package var freezes: Int?
    package var countersMissed: Int?
    /// Mean over the sample, in dB.
    package var psnr: Double?
    /// 99th percentile of the join time.
    package var joinTime: MediaTime?
    /// 99th percentile of the time to the first frame.
    package var firstFrame: MediaTime?
    /// Nanoseconds of relay CPU time per forwarded packet.
    package var packetCPU: Double?

    package init() {}

    package func validate(plan: LoadPlan) throws(LoadError) {
        let needsVideo: [(String, Bool)] = [
            ("max-latency-p99", latencyP99 != nil), ("max-freezes", freezes != nil),
            ("max-counters-missed", countersMissed != nil), ("min-psnr", psnr != nil),
            ("max-first-frame", firstFrame != nil),
        ]
        if plan.video == nil || plan.decodeSample == 0 || plan.subscribers == 0 {
            for (name, isSet) in needsVideo where isSet {
                throw .invalidSetting(name, reason: "cannot be checked: no video is decoded in this run")
            }
        }
        let values: [(String, Double?)] = [
            ("max-loss", loss), ("max-latency-p99", latencyP99?.seconds), ("max-freezes", freezes.map(Double.init)),
            ("max-counters-missed", countersMissed.map(Double.init)), ("min-psnr", psnr),
            ("max-join-time", joinTime?.seconds), ("max-first-frame", firstFrame?.seconds),
            ("max-packet-cpu", packetCPU),
        ]
        for (name, value) in values {
            if let value, value < 0 || !value.isFinite { throw .invalidSetting(name, reason: "is negative") }
        }
    }

    /// Returns one line for each limit that the report exceeds. A limit on a value that was not measured counts as exceeded.
    package func violations(of report: LoadReport) -> [String] {
        var lines: [String] = []
        func most(_ what: String, _ value: Double?, _ bound: Double?, _ unit: String) {
            guard let bound else { return }
            guard let value else {
                lines.append(
                    "\(what): not measured, so the limit of \(LoadReport.number(bound)) \(unit) is not met")
                return
            }
            if value > bound {
                lines.append("\(what): \(LoadReport.number(value)) \(unit) is more than \(LoadReport.number(bound))")
            }
        }
        let video = report.video
        most("loss", report.received.expected > 0 ? report.received.lossPercent : nil, loss, "%")
        most("latency p99", video?.latency?.p99, latencyP99?.milliseconds, "ms")
        most("freezes", video.map { Double($0.freezes) }, freezes.map(Double.init), "")
        most("frame counters missed", video.map { Double($0.countersMissed) }, countersMissed.map(Double.init), "")
        most("join time p99", report.joinTime?.p99, joinTime?.milliseconds, "ms")
        most("first frame p99", report.firstFrame?.p99, firstFrame?.milliseconds, "ms")
        most("relay CPU a packet", report.relay?.cpuNanosecondsPerPacket, packetCPU, "ns")
        if let psnr {
            if let mean = video?.psnr?.mean {
                if mean < psnr {
                    lines.append("PSNR: \(LoadReport.number(mean)) dB is less than \(LoadReport.number(psnr))")
                }
            } else {
                lines.append("PSNR: not measured, so the limit of \(LoadReport.number(psnr)) dB is not met")
            }
        }
        return lines
    }
}
