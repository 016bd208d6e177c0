import Foundation

extension LoadReport {
    /// Formats a number for display, with about three digits.
    package static func number(_ value: Double) -> String {
        switch abs(value) {
        case 0: "0"
        case ..<10: String(format: "%.2f", value)
        case ..<100: String(format: "%.1f", value)
        default: String(format: "%.0f", value)
        }
    }

    /// The report as a table for display, with warnings and failures last.
    package var table: String {
        var table = ReportTable()
        let video =
            settings.video.map { "\($0) at \(Self.number(settings.videoKilobitsPerSecond ?? 0)) kb/s" } ?? "none"
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
        table.row("measured", "\(Self.number(seconds)) s\(interrupted ? ", ended early" : "")")
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
                "\(video.freezes), \(Self.number(video.frozenMilliseconds)) ms in all, longest pause "
                    + "\(Self.number(video.longestPauseMilliseconds)) ms")
            if let psnr = video.psnr {
                table.row(
                    "PSNR",
                    "mean \(Self.number(psnr.mean))  p50 \(Self.number(psnr.p50))  min \(Self.number(psnr.min)) dB  (\(psnr.count))"
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
            let each = relay.cpuNanosecondsPerPacket.map { "\(Self.number($0)) ns a forwarded packet, " } ?? ""
            table.row(
                "relay CPU",
                "\(each)\(Self.number(relay.cores * 100)) % of a core at \(Self.number(relay.packetsPerSecond)) packets/s"
            )
            table.row(
                "relay RSS",
                "\(Self.number(relay.residentMegabytes)) MB\(relay.sharesProcess ? ", this generator included" : "")")
        } else {
            table.row("relay CPU", "not reported by the relay")
        }
        let threads = generator.threads.map { "\($0.name) \(Self.number($0.busiest * 100)) %" }.joined(separator: ", ")
        table.row("generator CPU", "\(Self.number(generator.cpuSeconds)) s; busiest second: \(threads)")
        table.row(
            "generator sends",
            "\(generator.lateSends) late (worst \(Self.number(generator.worstLatenessMilliseconds)) ms), "
                + "\(generator.missedSends) missed, \(generator.refusedSends) refused")
    }

    private static func rates(_ packets: UInt64, _ perSecond: Double, _ kilobits: Double) -> String {
        "\(packets) packets, \(number(perSecond)) packets/s, \(number(kilobits / 1_000)) Mb/s"
    }
}
