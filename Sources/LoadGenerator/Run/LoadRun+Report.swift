import NIOConcurrencyHelpers
import TestMedia

extension LoadRun {
    /// - Parameter processNanoseconds: CPU time of this process during the run.
    func report(_ measurement: Measurement, processNanoseconds: Int64) -> LoadReport {
        // The threads have ended, so the sums cover the whole run.
        let total = totals
        let decoded = decoder.totals
        let connections = total.connections
        let roster = roster.withLockedValue { $0 }
        let joins = roster.joins
        var report = LoadReport(
            settings: settings, seconds: measurement.duration, interrupted: isInterrupted, joins: joins.joined,
            leaves: roster.leaves, failedJoins: joins.failed, failedJoinsByKind: joins.failures,
            joinTime: joins.time.spread, iceTime: connections.ice.spread, dtlsTime: connections.dtls.spread,
            connectionsLost: connections.lost, firstPacket: total.received.firstPacket.spread,
            firstFrame: decoded.video.firstFrame.spread, sent: sent(total.sent, measurement),
            received: received(total.received, measurement),
            video: decoded.subscribers > 0 && plan.video != nil ? video(decoded) : nil,
            audio: decoded.subscribers > 0 && plan.audio ? decoded.audio : nil, relay: relay(measurement),
            generator: generator(total, decodeDrops: decoded.dropped, processNanoseconds), failures: [])
        report.failures = failures(of: report, joins, decoded, connections)
        return report
    }

    package var settings: LoadReport.Settings {
        let target: String
        switch plan.target {
        case .url(let address): target = address
        case .embedded: target = "in this process"
        case .endpoints(let whip, let whep): target = "\(whip), \(whep)"
        }
        let bitrate = plan.video.map { plan.videoBitrate ?? $0.usualBitrate }
        return LoadReport.Settings(
            target: target, transport: plan.transport.rawValue, sessions: plan.sessions, publishers: plan.publishers,
            subscribers: plan.subscribers, fullMesh: plan.isFullMesh, video: plan.video?.description,
            videoKilobitsPerSecond: bitrate.map { Double($0.rawValue) / 1_000 },
            simulcast: plan.simulcast, audio: plan.audio, suite: plan.suite.sdesName, encrypted: plan.secret != nil,
            lossPercent: plan.loss * 100, churnPerSecond: plan.churn, seed: plan.seed, decodeSample: plan.decodeSample)
    }

    private func sent(_ total: SendStatistics, _ measurement: Measurement) -> LoadReport.Sent {
        LoadReport.Sent(
            packets: total.packets, packetsPerSecond: measurement.rate(\.sentPackets),
            kilobitsPerSecond: measurement.rate(\.sentBytes) * 8 / 1_000,
            droppedOnPurpose: total.droppedOnPurpose, resent: total.resent, keyFrameRequests: total.keyFrameRequests)
    }

    private func received(_ total: ReceptionStatistics, _ measurement: Measurement) -> LoadReport.Received {
        LoadReport.Received(
            packets: total.packets, expected: total.expected, lost: total.lost,
            lossPercent: total.expected == 0 ? 0 : Double(total.lost) / Double(total.expected) * 100,
            duplicates: total.duplicates, recovered: total.recovered, reordered: total.reordered,
            restarts: total.restarts, droppedOnPurpose: total.droppedOnPurpose, askedAgain: total.askedAgain,
            keyFrameRequests: total.keyFrameRequests, foreign: total.foreign, tracks: total.tracks,
            silentTracks: total.silentTracks, packetsPerSecond: measurement.rate(\.receivedPackets),
            kilobitsPerSecond: measurement.rate(\.receivedBytes) * 8 / 1_000)
    }

    private func video(_ decoded: SampleDecoder.Totals) -> LoadReport.Video {
        let video = decoded.video
        return LoadReport.Video(
            subscribers: decoded.subscribers, decoded: video.decoded, countersMissed: video.countersMissed,
            unreadable: video.unreadable, repeated: video.repeated, decodeErrors: video.decodeErrors,
            undecryptable: video.undecryptable, framesDropped: video.framesDropped, freezes: video.freezes,
            frozenMilliseconds: video.frozen.milliseconds, longestPauseMilliseconds: video.longestPause.milliseconds,
            latency: video.latency.spread, psnr: video.psnr.quality)
    }

    private func relay(_ measurement: Measurement) -> LoadReport.Relay? {
        guard let start = measurement.start.usage, let end = measurement.end.usage else { return nil }
        let packets = max(0, end.forwardedPackets - start.forwardedPackets)
        let cpu = max(0, end.cpuNanoseconds - start.cpuNanoseconds)
        return LoadReport.Relay(
            forwardedPackets: packets, packetsPerSecond: packets / measurement.duration,
            cpuNanosecondsPerPacket: packets > 0 ? cpu / packets : nil, cores: cpu / (measurement.duration * 1e9),
            residentMegabytes: end.residentBytes / 1e6, sharesProcess: sharesProcess)
    }

    private func generator(_ total: EndpointTotals, decodeDrops: UInt64, _ process: Int64) -> LoadReport.Generator {
        let usages = threads.map(\.usage)
        let sources = videoSources.map(\.statistics)
        var encodeTime = Distribution()
        for source in sources { encodeTime.merge(source.encodeTime) }
        // The process's CPU time would include an embedded relay. The sum of the generator's threads leaves out only the joins.
        let cpu = sharesProcess ? usages.reduce(0) { $0 + $1.cpuNanoseconds } : process
        var generator = LoadReport.Generator(
            cpuSeconds: Double(cpu) / 1e9, threads: usages, lateSends: total.sent.late,
            worstLatenessMilliseconds: Double(total.sent.worstLateness) / 1e6, missedSends: total.sent.missed,
            refusedSends: total.sent.refused, kernelDrops: total.received.kernelDrops, decodeQueueDrops: decodeDrops,
            skippedFrames: sources.reduce(0) { $0 + $1.skipped },
            encodeTime: encodeTime.spread, isBottleneck: false, warnings: [])
        generator.judge(sends: total.sent.due, frames: sources.reduce(0) { $0 + $1.frames })
        return generator
    }

    private func failures(
        of report: LoadReport, _ joins: JoinTally, _ decoded: SampleDecoder.Totals,
        _ connections: ConnectionStatistics
    ) -> [String] {
        var lines: [String] = []
        if joins.failed > 0 {
            let first = joins.firstFailure.map { ", first: \($0)" } ?? ""
            let kinds = joins.failures.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
            lines.append(
                "\(joins.failed) of \(joins.failed + joins.joined) joins failed "
                    + "(\(kinds.joined(separator: ", ")))\(first)")
        }
        if connections.lost > 0 {
            let first = connections.firstLoss.map { ", first: \($0)" } ?? ""
            lines.append("\(connections.lost) peer connections ended early\(first)")
        }
        if report.received.silentTracks > 0 {
            lines.append("\(report.received.silentTracks) of \(report.received.tracks) tracks received no packet")
        }
        if let audio = report.audio, audio.wrongTone * 20 > audio.checked {
            lines.append("\(audio.wrongTone) of \(audio.checked) checked audio blocks are not the publisher's tone")
        }
        if decoded.refused > 0 { lines.append("\(decoded.refused) packets of the sample did not decrypt") }
        let sealed = decoded.video.undecryptable + decoded.audio.undecryptable
        if sealed > 0 {
            lines.append("\(sealed) encrypted frames and audio packets of the sample could not be decrypted")
        }
        return lines + plan.thresholds.violations(of: report)
    }
}
