import Foundation

extension LoadReport {
    /// The report as a table for display, with warnings and failures last.
    package var table: String {
        let rows: KeyValuePairs<String, String?> = [
            "relay": settings.target,
            "participants": "\(settings.sessions) sessions x \(participants)",
            "media": media,
            "measured": "\(seconds.short) s\(interrupted ? ", ended early" : "")",
            "joined": "\(joins), left \(leaves), failed \(failedJoins)",
            "join time": joinTime?.line,
            "ICE": iceTime?.line,
            "DTLS": dtlsTime?.line,
            "first packet": firstPacket?.line,
            "first frame": firstFrame?.line,
            "sent": Self.rates(sent.packets, sent.packetsPerSecond, sent.kilobitsPerSecond),
            "received": Self.rates(received.packets, received.packetsPerSecond, received.kilobitsPerSecond),
            "lost": "\(received.lost) of \(received.expected) (\(String(format: "%.4f", received.lossPercent)) %)",
            "irregular": irregular,
            "dropped on purpose": settings.lossPercent > 0 ? droppedOnPurpose : nil,
            "latency": video?.latency?.line,
            "decoded": video.map {
                "\($0.decoded) frames by \($0.subscribers) subscribers, \($0.countersMissed) counters missed, "
                    + "\($0.unreadable) unreadable, \($0.decodeErrors) errors"
            },
            "freezes": video.map {
                "\($0.freezes), \($0.frozenMilliseconds.short) ms in all, longest pause "
                    + "\($0.longestPauseMilliseconds.short) ms"
            },
            "PSNR": video?.psnr.map {
                "mean \($0.mean.short)  p50 \($0.p50.short)  min \($0.min.short) dB  (\($0.count))"
            },
            "not decrypted": settings.encrypted
                ? "\(video?.undecryptable ?? 0) frames, \(audio?.undecryptable ?? 0) audio packets of the decoded sample"
                : nil,
            "audio": audio.map {
                "\($0.decoded) packets decoded, \($0.concealed) concealed, wrong tone \($0.wrongTone) of \($0.checked)"
            },
            "relay CPU": relay?.processor ?? "not reported by the relay",
            "relay RSS": relay.map {
                "\($0.residentMegabytes.short) MB\($0.sharesProcess ? ", this generator included" : "")"
            },
            "generator CPU": generator.processor,
            "generator sends": "\(generator.lateSends) late (worst \(generator.worstLatenessMilliseconds.short) ms), "
                + "\(generator.missedSends) missed, \(generator.refusedSends) refused",
        ]
        var warnings = generator.warnings
        if generator.isBottleneck {
            warnings.append("THE GENERATOR IS THE BOTTLENECK: the figures above say more about it than about the relay")
        }
        return ReportTable.text(rows, warnings: warnings, failures: failures)
    }

    private var participants: String {
        let (publishers, subscribers) = (settings.publishers, settings.subscribers)
        return settings.fullMesh
            ? "\(publishers), each publishes and receives all others (\(subscribers) subscriptions)"
            : "(\(publishers) publishers + \(subscribers) subscribers)"
    }

    private var media: String {
        let video = settings.video.map { "\($0) at \((settings.videoKilobitsPerSecond ?? 0).short) kb/s" } ?? "none"
        return "\(settings.transport), video \(video)\(settings.simulcast ? " and smaller" : ""), audio "
            + "\(settings.audio ? "on" : "off"), \(settings.suite)\(settings.encrypted ? ", end-to-end encryption" : "")"
    }

    private static func rates(_ packets: UInt64, _ perSecond: Double, _ kilobits: Double) -> String {
        "\(packets) packets, \(perSecond.short) packets/s, \((kilobits / 1_000).short) Mb/s"
    }

    /// Nil if nothing irregular arrived.
    private var irregular: String? {
        let r = received
        guard r.duplicates + r.reordered + r.foreign + r.restarts + r.silentTracks > 0 else { return nil }
        return "\(r.duplicates) duplicates, \(r.reordered) late, \(r.restarts) restarts, \(r.foreign) foreign, "
            + "\(r.silentTracks) silent tracks"
    }

    private var droppedOnPurpose: String {
        "\(sent.droppedOnPurpose) sending, \(received.droppedOnPurpose) receiving; requested \(received.askedAgain), "
            + "recovered \(received.recovered), publishers resent \(sent.resent)"
    }
}

extension LoadReport.Relay {
    fileprivate var processor: String {
        let each = cpuNanosecondsPerPacket.map { "\($0.short) ns a forwarded packet, " } ?? ""
        return "\(each)\((cores * 100).short) % of a core at \(packetsPerSecond.short) packets/s"
    }
}

extension LoadReport.Generator {
    fileprivate var processor: String {
        let shares = threads.map { "\($0.name) \(($0.busiest * 100).short) %" }.joined(separator: ", ")
        return "\(cpuSeconds.short) s; busiest second: \(shares)"
    }
}
