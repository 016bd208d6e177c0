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
        var rows: [(String, String)] = []
        func row(_ name: String, _ value: String) { rows.append((name, value)) }
        func spread(_ name: String, _ spread: Spread?) {
            guard let spread else { return }
            row(
                name,
                "p50 \(Self.number(spread.p50))  p99 \(Self.number(spread.p99))  max \(Self.number(spread.max)) ms  (\(spread.count))"
            )
        }
        let video =
            settings.video.map { "\($0) at \(Self.number(settings.videoKilobitsPerSecond ?? 0)) kb/s" } ?? "none"
        row("relay", settings.target)
        row(
            "participants",
            "\(settings.sessions) sessions x "
                + (settings.fullMesh
                    ? "\(settings.publishers), each publishes and receives all others (\(settings.subscribers) subscriptions)"
                    : "(\(settings.publishers) publishers + \(settings.subscribers) subscribers)"))
        row(
            "media",
            "\(settings.transport), video \(video)\(settings.simulcast ? " and smaller" : ""), audio \(settings.audio ? "on" : "off"), \(settings.suite)"
        )
        row("measured", "\(Self.number(seconds)) s\(interrupted ? ", ended early" : "")")
        row("joined", "\(joins), left \(leaves), failed \(failedJoins)")
        spread("join time", joinTime)
        spread("ICE", iceTime)
        spread("DTLS", dtlsTime)
        spread("first packet", firstPacket)
        spread("first frame", firstFrame)
        row("sent", Self.rates(sent.packets, sent.packetsPerSecond, sent.kilobitsPerSecond))
        row("received", Self.rates(received.packets, received.packetsPerSecond, received.kilobitsPerSecond))
        row("lost", "\(received.lost) of \(received.expected) (\(String(format: "%.4f", received.lossPercent)) %)")
        if received.duplicates + received.reordered + received.foreign + received.restarts + received.silentTracks > 0 {
            row(
                "irregular",
                "\(received.duplicates) duplicates, \(received.reordered) late, \(received.restarts) restarts, "
                    + "\(received.foreign) foreign, \(received.silentTracks) silent tracks")
        }
        if settings.lossPercent > 0 {
            row(
                "dropped on purpose",
                "\(sent.droppedOnPurpose) sending, \(received.droppedOnPurpose) receiving; requested "
                    + "\(received.askedAgain), recovered \(received.recovered), publishers resent \(sent.resent)")
        }
        pictureRows(row, spread)
        relayRows(row)
        generatorRows(row)
        let width = rows.map(\.0.count).max() ?? 0
        var lines = rows.map { $0.0.padding(toLength: width + 2, withPad: " ", startingAt: 0) + $0.1 }
        lines += generator.warnings.map { "warning: \($0)" }
        if generator.isBottleneck {
            lines.append(
                "warning: THE GENERATOR IS THE BOTTLENECK: the figures above say more about it than about the relay")
        }
        lines += failures.map { "failed: \($0)" }
        return lines.joined(separator: "\n")
    }

    private func pictureRows(_ row: (String, String) -> Void, _ spread: (String, Spread?) -> Void) {
        if let pictures {
            spread("latency", pictures.latency)
            row(
                "decoded",
                "\(pictures.decoded) frames by \(pictures.viewers) subscribers, \(pictures.countersMissed) counters missed, "
                    + "\(pictures.unreadable) unreadable, \(pictures.decodeErrors) errors")
            row(
                "freezes",
                "\(pictures.freezes), \(Self.number(pictures.frozenMilliseconds)) ms in all, longest pause "
                    + "\(Self.number(pictures.longestPauseMilliseconds)) ms")
            if let psnr = pictures.psnr {
                row(
                    "PSNR",
                    "mean \(Self.number(psnr.mean))  p50 \(Self.number(psnr.p50))  min \(Self.number(psnr.min)) dB  (\(psnr.count))"
                )
            }
        }
        if let sound {
            row(
                "audio",
                "\(sound.decoded) packets decoded, \(sound.concealed) concealed, wrong tone \(sound.wrongTone) of \(sound.checked)"
            )
        }
    }

    private func relayRows(_ row: (String, String) -> Void) {
        guard let relay else {
            row("relay CPU", "not reported by the relay")
            return
        }
        let each = relay.cpuNanosecondsPerPacket.map { "\(Self.number($0)) ns a forwarded packet, " } ?? ""
        row(
            "relay CPU",
            "\(each)\(Self.number(relay.cores * 100)) % of a core at \(Self.number(relay.packetsPerSecond)) packets/s")
        row(
            "relay RSS",
            "\(Self.number(relay.residentMegabytes)) MB\(relay.sharesProcess ? ", this generator included" : "")")
    }

    private func generatorRows(_ row: (String, String) -> Void) {
        let threads = generator.threads.map { "\($0.name) \(Self.number($0.busiest * 100)) %" }.joined(separator: ", ")
        row("generator CPU", "\(Self.number(generator.cpuSeconds)) s; busiest second: \(threads)")
        row(
            "generator sends",
            "\(generator.lateSends) late (worst \(Self.number(generator.worstLatenessMilliseconds)) ms), "
                + "\(generator.missedSends) missed, \(generator.refusedSends) refused")
    }

    private static func rates(_ packets: UInt64, _ perSecond: Double, _ kilobits: Double) -> String {
        "\(packets) packets, \(number(perSecond)) packets/s, \(number(kilobits / 1_000)) Mb/s"
    }
}

extension LoadReport {
    /// The report as one JSON object, keys sorted.
    package var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }
}
