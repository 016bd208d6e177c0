import Forwarding
import MediaBase
import RTP

/// Bandwidth measurement of subscribers' paths, and reactions to it.
extension Worker {
    /// Updates the estimate of a path from a subscriber's RTCP.
    func measure(_ packet: RTCPPacket, _ outbound: SubscribeTransport, of peer: WebRTCPeer, now: MediaTime) {
        guard let estimator = outbound.estimator else { return }
        switch packet.kind {
        case .transportCC:
            guard let sent = outbound.sent else { return }
            do {
                try feedback.read(packet)
            } catch {
                return counters.droppedMalformedRTCP &+= 1
            }
            let before = estimator.target
            let wasResting = estimator.isResting
            estimator.receive(feedback, sent: sent, now: now)
            if wasResting { peers.schedule(peer, now: now) }
            // Lost capacity requires an allocation at once.
            if estimator.target < before || outbound.isLevel && estimator.isCongested {
                outbound.allocateSoon()
                peers.schedule(peer, now: now)
            }
            // The result of a probe may start the next one at once.
            beginProbe(outbound, now: now)
        case .remb:
            guard let remb = try? REMB(parsing: packet) else { return counters.droppedMalformedRTCP &+= 1 }
            let before = estimator.target
            estimator.receive(remb: allowed(by: remb, outbound, now: now), now: now)
            if estimator.target < before {
                outbound.allocateSoon()
                peers.schedule(peer, now: now)
            }
            // If REMB has risen after a probe, the next probe may start at once.
            beginProbe(outbound, now: now)
        case .receiverReport:
            guard let report = try? ReceiverReport(parsing: packet) else {
                return counters.droppedMalformedRTCP &+= 1
            }
            note(report.blocks, outbound)
            let roundTrip = roundTrip(report.blocks, outbound, now: now)
            outbound.roundTrip = roundTrip ?? outbound.roundTrip
            let before = estimator.target
            estimator.receive(reports: report.blocks, roundTrip: roundTrip, now: now)
            if estimator.target < before {
                outbound.allocateSoon()
                peers.schedule(peer, now: now)
            }
            beginProbe(outbound, now: now)
        case .senderReport, .sdes, .bye, .genericNACK, .pli, .fir, .xr, .other:
            break
        }
    }

    /// Returns the bit rate that REMB allows for all tracks. REMB applies to the streams that it names (draft-alvestrand-rmcat-remb-03
    /// section 2.1), and some receivers name only their video: the bit rate of audio that is not named is added.
    private func allowed(by remb: REMB, _ outbound: SubscribeTransport, now: MediaTime) -> Bitrate {
        guard remb.sources.contains(where: { outbound.track(of: $0) != nil }) else { return remb.bitrate }
        let unnamed = claims(of: outbound, now: now).reduce(Int64(0)) { sum, claim in
            guard claim.kind == .audio, let track = outbound.track(claim.id),
                !remb.sources.contains(track.ssrc)
            else { return sum }
            return sum + claim.bitrate
        }
        let sum = remb.bitrate.rawValue.addingReportingOverflow(unnamed)
        return Bitrate(rawValue: sum.overflow ? .max : sum.partialValue)
    }

    /// Stores the loss and jitter that a subscriber reports, for statistics.
    private func note(_ blocks: [ReportBlock], _ outbound: SubscribeTransport) {
        for block in blocks {
            guard let track = outbound.track(of: block.source) else { continue }
            track.lost = Int64(block.cumulativeLost)
            track.jitter = MediaTime(rawValue: Int64(block.jitter) * 1_000_000_000 / Int64(track.kind.clockRate))
        }
    }

    /// Returns the round-trip time. It is computed on the publisher's clock, because sender reports carry that clock.
    private func roundTrip(_ blocks: [ReportBlock], _ outbound: SubscribeTransport, now: MediaTime) -> MediaTime? {
        for block in blocks {
            guard let track = outbound.track(of: block.source),
                let reading = track.producer?.clock.reading(now: now)
            else { continue }
            if let time = block.roundTripTime(now: reading.ntp) { return time }
        }
        return nil
    }

    /// Runs the timers of one subscriber. Packets may be pending.
    func adapt(_ outbound: SubscribeTransport, now: MediaTime) {
        if let estimator = outbound.estimator, now >= estimator.deadline {
            let before = estimator.target
            estimator.handleTimeout(sent: UnsafePointer(outbound.sent), now: now)
            if estimator.target < before { outbound.allocateSoon() }
            beginProbe(outbound, now: now)
        }
        if outbound.hasVideo, now >= outbound.nextAllocation {
            allocate(outbound, now: now, flush())
        }
    }

    /// Starts the probe that the estimator requests, one at a time, if a stream can carry it.
    private func beginProbe(_ outbound: SubscribeTransport, now: MediaTime) {
        guard outbound.probe == nil, let estimator = outbound.estimator, estimator.mayProbe(now: now),
            outbound.canProbe, let probe = estimator.takeProbe(now: now)
        else { return }
        outbound.probe = ProbePacer(probe, now: now)
        probing.append(outbound)
        nextProbe = min(nextProbe, now)
    }

    /// Sends the padding of running probes that is due.
    func sendProbes(_ now: MediaTime) {
        let quiesced = flush()
        nextProbe = .never
        probing.removeAll { outbound in
            guard outbound.isOpen, var probe = outbound.probe else { return true }
            let due = probe.due(now: now)
            if due > 0 {
                let sent = sendPadding(due, of: probe, to: outbound, quiesced)
                counters.probeBytes &+= UInt64(sent)
                if outbound.session.router.hasDrops { noteDrops(outbound.session) }
                probe.note(bytes: sent)
            }
            outbound.probe = probe.deadline == nil ? nil : probe
            if let next = probe.deadline { nextProbe = min(nextProbe, max(next, now + Self.probeSpacing)) }
            return outbound.probe == nil
        }
    }

    private func sendPadding(
        _ bytes: Int, of probe: ProbePacer, to outbound: SubscribeTransport, _ quiesced: borrowing Quiesced
    ) -> Int {
        outbound.session.router.sendPadding(
            bytes: bytes, path: outbound.path, probe: probe.probe.id, now: time(), into: &batch
        ) { send(&$0, for: outbound.session) }
    }

    private static let probeSpacing = MediaTime.microseconds(500)
}
