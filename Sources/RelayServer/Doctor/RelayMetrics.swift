import HTTPCalls

/// Metrics of a running relay that name causes of faults, since the start of the relay.
struct RelayMetrics {
    private let metrics: MetricsText

    init(_ text: String) { metrics = MetricsText(text) }

    /// Returns the sum over all label sets; 0 if the metric is missing.
    func sum(_ name: String) -> Double { metrics[name] ?? 0 }

    func value(_ name: String, _ label: String, _ value: String) -> Double {
        metrics.samples(of: name).filter { $0.labels.contains("\(label)=\"\(value)\"") }.reduce(0) { $0 + $1.value }
    }

    /// Returns the label sets with values above 0, such as `cause buffer_full: 12`.
    private func listed(_ name: String, without excluded: String? = nil) -> [String] {
        metrics.samples(of: name).filter { sample in
            sample.value > 0 && excluded.map { !sample.labels.contains("\"\($0)\"") } ?? true
        }.map { sample in
            let label = sample.labels.filter { !"{}\"".contains($0) }.split(separator: "=").joined(separator: " ")
            return "\(label.isEmpty ? name : label): \(Int(clamping: sample.value))"
        }
    }

    var findings: [DoctorFinding] {
        [mediaPaths, unforwarded] + media
            + [sending, keys, delay, connections, limits, tokens, recordings]
            + (metrics["millrace_storage_up"] == nil ? [] : [storage])
    }

    private var mediaPaths: DoctorFinding {
        let check = "media paths"
        let name = "millrace_media_path_failures_total"
        let unreached = value(name, "cause", "no_packets")
        let unanswered = value(name, "cause", "no_handshake")
        let connected = sum("millrace_peers_connected_total")
        let text =
            "\(Int(clamping: connected)) WebRTC peers connected; \(Int(clamping: unreached)) sent nothing, "
            + "\(Int(clamping: unanswered)) got no answer, \(Int(clamping: value(name, "cause", "no_media"))) sent no media"
        // A few clients give up before they connect; a wrong address or a firewall affects many.
        guard unreached + unanswered > connected / 10 else { return DoctorFinding(check, .ok, text) }
        return DoctorFinding(
            check, .warn, text,
            advice: unreached >= unanswered
                ? "clients cannot reach the media port: allow UDP and TCP webrtc.port, and set media.advertised to an address that they reach"
                : "answers do not reach clients: allow outgoing UDP of webrtc.port; a NAT has to keep the port number")
    }

    private var unforwarded: DoctorFinding {
        DoctorFinding(
            "not forwarded", .ok,
            "\(Int(clamping: sum("millrace_packets_muted_total"))) packets of muted tracks, "
                + "\(Int(clamping: sum("millrace_packets_withheld_total"))) of audio that is not among the loudest (audio.loudest)"
        )
    }

    private var sending: DoctorFinding {
        let drops = listed("millrace_send_drops_total", without: "closed")
        guard !drops.isEmpty else { return DoctorFinding("sending", .ok, "no datagram was dropped") }
        return DoctorFinding(
            "sending", .warn, "datagrams that could not be sent, by " + drops.joined(separator: ", "),
            advice:
                "buffer_full: the interface is too slow, or limit.sendBufferBytes too small; forbidden: a firewall of this host; "
                + "unreachable: no route")
    }

    private var keys: DoctorFinding {
        let name = "millrace_packets_dropped_total"
        let wrong = value(name, "cause", "authentication") + value(name, "cause", "rtcp_authentication")
        let text = "\(Int(clamping: wrong)) packets failed authentication"
        guard wrong > sum("millrace_packets_received_total") / 100 else { return DoctorFinding("keys", .ok, text) }
        return DoctorFinding(
            "keys", .warn, text,
            advice: "a plain client uses the key of an earlier transport; open a transport for each run")
    }

    private var delay: DoctorFinding {
        let seconds = value("millrace_forward_delay_seconds", "quantile", "0.99")
        guard seconds.isFinite else { return DoctorFinding("delay", .ok, "no packet was forwarded") }
        let text = "99 % of the packets stayed at most \((seconds * 10_000).rounded() / 10) ms"
        guard seconds > 0.01 else { return DoctorFinding("delay", .ok, text) }
        return DoctorFinding(
            "delay", .warn, text,
            advice: "a worker or the host is overloaded: raise media.workers, or give the host more cores")
    }

    private var connections: DoctorFinding {
        let pauses = sum("millrace_http_accept_pauses_total") + sum("millrace_tcp_accept_pauses_total")
        guard pauses > 0 else { return DoctorFinding("connections", .ok, "always accepted") }
        return DoctorFinding(
            "connections", .warn, "file descriptors ran out \(Int(clamping: pauses)) times",
            advice: "raise the limit of open files (LimitNOFILE= in systemd)")
    }

    private var limits: DoctorFinding {
        let refusals = [
            "millrace_resource_refusals_total", "millrace_http_limit_refusals_total", "millrace_limit_refusals_total",
        ]
        .flatMap { listed($0) }
        guard !refusals.isEmpty else { return DoctorFinding("limits", .ok, "no request was refused") }
        return DoctorFinding(
            "limits", .warn, "refused requests, by " + refusals.joined(separator: ", "),
            advice: "raise the limit (docs/configuration.md), or find the client")
    }

    private var tokens: DoctorFinding {
        let causes = listed("millrace_tokens_refused_total")
        let accepted = sum("millrace_tokens_accepted_total")
        guard sum("millrace_tokens_refused_total") > accepted / 10 else {
            return DoctorFinding("tokens", .ok, "\(Int(clamping: accepted)) accepted")
        }
        return DoctorFinding(
            "tokens", .warn, "\(Int(clamping: accepted)) accepted; refused, by " + causes.joined(separator: ", "),
            advice:
                "tokenNotYetValid, tokenExpired: compare the clocks of token issuer and relay; others: docs/tokens.md")
    }

    private var recordings: DoctorFinding {
        let suspended = sum("millrace_recordings_suspended")
        let failed = sum("millrace_recording_failures_total")
        if suspended > 0 {
            return DoctorFinding(
                "recording", .warn, "\(Int(clamping: suspended)) recordings cannot be written",
                advice: "free space on the disk; the log has the error")
        }
        guard failed > 0 else { return DoctorFinding("recording", .ok, "no recording failed") }
        return DoctorFinding(
            "recording", .warn, "\(Int(clamping: failed)) recordings failed",
            advice: "the log has path and error of each")
    }

    private var storage: DoctorFinding {
        guard sum("millrace_storage_up") < 1 else { return DoctorFinding("database", .ok, "open") }
        return DoctorFinding(
            "database", .warn, "cannot be opened: conversations are unavailable",
            advice: "the log has the reason (docs/messages.md)")
    }
}

extension Int {
    /// Nearest integer; 0 if the value is not a number.
    init(clamping value: Double) {
        self = value.isNaN ? 0 : Int(exactly: value.rounded()) ?? (value < 0 ? .min : .max)
    }
}
