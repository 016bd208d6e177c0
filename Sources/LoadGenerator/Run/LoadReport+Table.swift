import Foundation

extension LoadReport {
    /// The report as a table for display, with warnings and failures last.
    package var table: String {
        var table = ReportTable()
        let video =
            settings.video.map { "\($0) at \((settings.videoKilobitsPerSecond ?? 0).short) kb/s" } ?? "none"
        table.row("relay", settings.target)
        table.row(
            "participants",
            "\(settings.sessions) sessions x "
                + (settings.fullMesh
                    ? "\(settings.publishers), each publishes and receives all others (\(settings.subscribers) subscriptions)"
                    : "(\(settings.publishers) publishers + \(settings.subscribers) subscribers)"))
        table.row(
            "media",
            "\(settings.transport), video \(video)\(settings.simulcast ? " and smaller" : ""), audio \(settings.audio ? "on" : "off"), \(settings.suite)\(settings.encrypted ? ", end-to-end encryption" : "")"
        )
        table.row("measured", "\(seconds.short) s\(interrupted ? ", ended early" : "")")
        table.row("joined", "\(joins), left \(leaves), failed \(failedJoins)")
        table.row("join time", joinTime)
        table.row("ICE", iceTime)
        table.row("DTLS", dtlsTime)
        table.row("first packet", firstPacket)
        table.row("first frame", firstFrame)
        table.row("sent", Self.rates(sent.packets, sent.packetsPerSecond, sent.kilobitsPerSecond))
        table.row("received", Self.rates(received.packets, received.packetsPerSecond, received.kilobitsPerSecond))
        table.row(
            "lost", "\(received.lost) of \(received.expected) (\(String(format: "%.4f", received.lossPercent)) %)")
        if received.duplicates + received.reordered + received.foreign + received.restarts + received.silentTracks > 0 {
            table.row(
                "irregular",
                "\(received.duplicates) duplicates, \(received.reordered) late, \(received.restarts) restarts, "
                    + "\(received.foreign) foreign, \(received.silentTracks) silent tracks")
        }
        if settings.lossPercent > 0 {
            table.row(
                "dropped on purpose",
                "\(sent.droppedOnPurpose) sending, \(received.droppedOnPurpose) receiving; requested "
                    + "\(received.askedAgain), recovered \(received.recovered), publishers resent \(sent.resent)")
        }
        addMedia(to: &table)
        addProcesses(to: &table)
        var warnings = generator.warnings
        if generator.isBottleneck {
            warnings.append("THE GENERATOR IS THE BOTTLENECK: the figures above say more about it than about the relay")
        }
        return table.text(warnings: warnings, failures: failures)
    }

    private func addMedia(to table: inout ReportTable) {
        if let video {
            table.row("latency", video.latency)
            table.row(
                "decoded",
                "\(video.decoded) frames by \(video.subscribers) subscribers, \(video.countersMissed) counters missed, "
                    + "\(video.unreadable) unreadable, \(video.decodeErrors) errors")
            table.row(
                "freezes",
                "\(video.freezes), \(video.frozenMilliseconds.short) ms in all, longest pause "
                    + "\(video.longestPauseMilliseconds.short) ms")
            if let psnr = video.psnr {
                table.row(
                    "PSNR",
                    "mean \(psnr.mean.short)  p50 \(psnr.p50.short)  min \(psnr.min.short) dB  (\(psnr.count))"
                )
            }
        }
        if settings.encrypted {
            table.row(
                "not decrypted",
                "\(video?.undecryptable ?? 0) frames, \(audio?.undecryptable ?? 0) audio packets of the decoded sample")
        }
        if let audio {
            table.row(
                "audio",
                "\(audio.decoded) packets decoded, \(audio.concealed) concealed, wrong tone \(audio.wrongTone) of \(audio.checked)"
            )
        }
    }

    private func addProcesses(to table: inout ReportTable) {
        if let relay {
            let each = relay.cpuNanosecondsPerPacket.map { "\($0.short) ns a forwarded packet, " } ?? ""
            table.row(
                "relay CPU",
                "\(each)\((relay.cores * 100).short) % of a core at \(relay.packetsPerSecond.short) packets/s"
            )
            table.row(
                "relay RSS",
                "\(relay.residentMegabytes.short) MB\(relay.sharesProcess ? ", this generator included" : "")")
        } else {
            table.row("relay CPU", "not reported by the relay")
        }
        let threads = generator.threads.map { "\($0.name) \(($0.busiest * 100).short) %" }.joined(separator: ", ")
        table.row("generator CPU", "\(generator.cpuSeconds.short) s; busiest second: \(threads)")
        table.row(
            "generator sends",
            "\(generator.lateSends) late (worst \(generator.worstLatenessMilliseconds.short) ms), "
                + "\(generator.missedSends) missed, \(generator.refusedSends) refused")
    }

    private static func rates(_ packets: UInt64, _ perSecond: Double, _ kilobits: Double) -> String {
        "\(packets) packets, \(perSecond.short) packets/s, \((kilobits / 1_000).short) Mb/s"
    }
}
