/// Checks of the media that publishers send and subscribers receive.
extension RelayMetrics {
    /// Requests for missing packets, in percent of all packets, above which video freezes or gets a lower quality. A lost packet is
    /// requested several times if the retransmission is lost too, so this is about 2 % loss.
    private static let lossPercent = 5.0

    var media: [DoctorFinding] { [publishers, keyFrames, pauses, publisherLoss, subscriberLoss] }

    /// RTP that fits no announced track.
    private var publishers: DoctorFinding {
        let check = "publishers"
        let name = "millrace_packets_dropped_total"
        let sources = value(name, "cause", "unknown_ssrc")
        let types = value(name, "cause", "payload_type")
        let text =
            "\(Int(clamping: sources)) packets of an unknown SSRC, \(Int(clamping: types)) of an unknown payload type"
        // A few packets arrive before the offer or the request that announces them.
        guard sources + types > sum("millrace_packets_received_total") / 100 else {
            return DoctorFinding(check, .ok, text)
        }
        return DoctorFinding(
            check, .warn, text,
            advice:
                "a plain publisher must send the SSRC and payload type of its transport: ssrc and payloadType in the answer to its request (docs/plain-clients.md)"
        )
    }

    private var keyFrames: DoctorFinding {
        let check = "key frames"
        let sent = sum("millrace_key_frame_requests_sent_total")
        let ignored = sum("millrace_key_frame_requests_ignored_total")
        let text =
            "\(Int(clamping: sent)) requested of publishers; \(Int(clamping: ignored)) requests repeated ignored ones"
        guard ignored > sent / 10 else { return DoctorFinding(check, .ok, text) }
        return DoctorFinding(
            check, .warn, text,
            advice:
                "a publisher ignores PLI, so its subscribers wait for video: let its encoder make a key frame every 2 s, such as -g 60 of ffmpeg at 30 frames/s"
        )
    }

    private var pauses: DoctorFinding {
        let check = "bandwidth"
        let paused = sum("millrace_tracks_paused_total")
        let connected = sum("millrace_peers_connected_total")
        let text =
            "\(Int(clamping: paused)) pauses of video for lack of bandwidth; \(Int(clamping: connected)) WebRTC peers connected"
        // A client of a bad network pauses some of its videos; more pauses than clients have a common cause.
        guard paused > connected else { return DoctorFinding(check, .ok, text) }
        return DoctorFinding(
            check, .warn, text,
            advice:
                "publish simulcast and subscribe to fewer videos; if clients of all networks are affected, the uplink of this host is too slow: compare rate(millrace_forwarded_bytes_total[1m]) with it"
        )
    }

    private var publisherLoss: DoctorFinding {
        loss(
            "publisher loss", requested: "millrace_nacks_sent_total", of: "millrace_packets_received_total",
            text: "packets requested again from publishers",
            advice:
                "one publisher: a lower bit rate, or a better network; all publishers: the downlink of this host, and net.core.rmem_max if UdpRcvbufErrors of nstat -az grows"
        )
    }

    private var subscriberLoss: DoctorFinding {
        loss(
            "subscriber loss", requested: "millrace_nacks_received_total", of: "millrace_packets_forwarded_total",
            text: "packets requested again by subscribers",
            advice:
                "some subscribers: their networks, and simulcast at the publishers; all subscribers: the uplink of this host, and its interface (ip -s link)"
        )
    }

    private func loss(_ check: String, requested: String, of total: String, text: String, advice: String)
        -> DoctorFinding
    {
        let packets = sum(total)
        let requests = sum(requested)
        guard requests > 0 else { return DoctorFinding(check, .ok, "no \(text)") }
        let percent = packets > 0 ? requests / packets * 100 : 100
        let detail = "\((percent * 10).rounded() / 10) %: \(Int(clamping: requests)) \(text)"
        guard percent > Self.lossPercent else { return DoctorFinding(check, .ok, detail) }
        return DoctorFinding(check, .warn, detail, advice: advice)
    }
}
