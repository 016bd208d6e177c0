import Forwarding
import MediaBase
import RTP

/// Distributes the capacity of each subscriber's path over its tracks, measures that capacity, and runs its probes. The state of a path is
/// that of its `SubscribeTransport`; effects outside of it are effects of its session.
struct SubscriberAllocator: ~Copyable {
    /// Time after connecting in which the estimate is unreliable: the video with the highest priority is sent regardless of it.
    private static let settling = MediaTime.seconds(2)
    private static let patience = MediaTime.seconds(2)
    /// Ratio of the pacing rate to the tracks' bit rate while the path has shown no limit.
    private static let haste = 2.5
    /// Bit rate assumed for a subscriber that sends no feedback about its path.
    private static let unlimited = Bitrate(rawValue: 1 << 40)
    private static let probeSpacing = MediaTime.microseconds(500)

    /// Subscribers whose paths are being probed.
    private var probing: ContiguousArray<SubscribeTransport> = []
    /// Time at which padding of a probe is due next.
    private(set) var nextProbe: MediaTime = .never
    /// Buffer for parsed feedback, kept to reuse its memory.
    private var feedback = TransportCC()

    // MARK: allocation

    /// Selects the encoding and the temporal layers of every video track, and the pacing rate.
    func allocate(_ outbound: SubscribeTransport, now: MediaTime, _ quiesced: borrowing Quiesced) {
        outbound.session.follow(quiesced)
        let claims = claims(of: outbound, now: now)
        var target = outbound.estimator?.target ?? Self.unlimited
        var capacity = target
        if let estimator = outbound.estimator {
            // If the chosen encoding is too small, that is corrected soon; one that is too large
            // costs a second key frame on a congested path.
            if estimator.isFull { target = Bitrate(bitsPerSecond: estimator.capacity.rawValue * 3 / 5) }
            // The estimate is cautious: small decreases should not take away video from a path that is not congested.
            capacity =
                estimator.isFull ? target : Bitrate(bitsPerSecond: estimator.capacity.rawValue * 11 / 10)
        }
        let isLimited = outbound.isLimited(now: now)
        let least = least(claims)
        if now - outbound.startedAt < Self.settling || !outbound.isTooNarrow(for: least, now: now) {
            target = max(target, Bitrate(rawValue: least.rawValue * 5 / 4))
        }
        let allocation = outbound.allocator.allocate(
            claims, target: target, capacity: capacity, now: now)
        for decision in allocation.decisions {
            guard let track = outbound.track(decision.id), let claim = claims.first(where: { $0.id == decision.id })
            else { continue }
            apply(decision, on: claim, to: track, of: outbound, now: now, quiesced)
        }
        let isIdle = claims.allSatisfy { $0.kind == .audio || !$0.encodings.contains(where: \.isActive) }
        outbound.note(allocation, isLimited: isLimited, isIdle: isIdle, now: now)
        guard let estimator = outbound.estimator else { return }
        outbound.decisions.note(estimate: estimator.target.rawValue, now: now)
        estimator.wanted = allocation.wanted
        estimator.used = allocation.used
        if allocation.used.rawValue > 0 { estimator.resume(now: now) }
        estimator.canProbe = outbound.canProbe
        outbound.used = allocation.used
        // If packets left more slowly than they arrive, the subscriber would never catch up. The bit
        // rate is 0 until it has been measured.
        var rate = Bitrate(bitsPerSecond: 0)
        if allocation.used > rate {
            let least = Double(allocation.used.rawValue) * (isLimited ? 1.2 : Self.haste)
            rate = max(estimator.pacingRate, Bitrate(saturating: least))
            if !isLimited { rate = max(rate, SubscribeTransport.leastPace) }
        }
        outbound.session.router.path(outbound.path).pointee.pacing.setRate(rate, now: now)
    }

    /// Returns the tracks that the subscriber receives at present, with their measured bit rates.
    private func claims(of outbound: SubscribeTransport, now: MediaTime) -> [AllocatedTrack] {
        var claims: [AllocatedTrack] = []
        for track in outbound.tracks where track.producer != nil && !track.isUnwanted {
            guard let stream = outbound.session.stream(named: track.streamName),
                !outbound.paused.contains(track.kind)
            else { continue }
            if track.kind == .audio, let audio = stream.audio {
                let rate = audio.measured(now: now).bitrates.last ?? Bitrate(rawValue: 0)
                claims.append(AllocatedTrack(id: track.id, kind: .audio, encodings: [.init(bitrates: [rate])]))
            } else if track.kind == .video {
                claims.append(
                    AllocatedTrack(
                        id: track.id, kind: .video, priority: track.preferences.priority,
                        limits: limits(of: track, stream, now: now),
                        encodings: stream.choices(now: now)))
            }
        }
        return claims
    }

    private func limits(of track: SubscribedTrack, _ stream: EngineStream, now: MediaTime) -> AllocatedTrack.Limits {
        switch track.choice {
        case .automatic: track.preferences.limits(of: stream, now: now)
        case .upTo(let spatial, let temporal):
            // Temporal layers of higher spatial layers are not left out (`LayerOrder`), so that only the lowest keeps such a limit.
            if let order = stream.spatialLayers, let temporal, temporal < order.temporalLayers - 1 {
                AllocatedTrack.Limits(spatial: 0, temporal: temporal)
            } else {
                AllocatedTrack.Limits(spatial: spatial, temporal: temporal)
            }
        case .encoding(let rid, let temporal):
            AllocatedTrack.Limits(
                temporal: temporal,
                encoding: stream.spatialLayers == nil ? stream.encodings.firstIndex { $0.rid == rid } : nil)
        }
    }

    /// Returns the bit rate of all audio and of the smallest encoding of the video with the highest priority.
    private func least(_ claims: [AllocatedTrack]) -> Bitrate {
        var sum: Int64 = 0
        for claim in claims where claim.kind == .audio { sum += claim.bitrate }
        let first = claims.filter { $0.kind == .video }.max { $0.priority < $1.priority }
        let smallest = first?.encodings.filter(\.isActive).map { $0.bitrates[3] }.min()
        return Bitrate(rawValue: sum + (smallest ?? 0))
    }

    private func apply(
        _ decision: LayerAllocation.Decision, on claim: AllocatedTrack, to track: SubscribedTrack,
        of outbound: SubscribeTransport, now: MediaTime, _ quiesced: borrowing Quiesced
    ) {
        guard let producer = track.producer, let stream = outbound.session.stream(named: track.streamName) else {
            return
        }
        let session = outbound.session
        let router = session.router
        guard let selection = decision.selection, let (wanted, limit) = stream.source(of: selection, for: claim) else {
            // Without an active encoding there is nothing to pause: the track continues when packets arrive again.
            guard decision.isPausedByBandwidth, !track.isPausedByBandwidth else { return }
            track.isPausedByBandwidth = true
            session.emit(.trackPaused)
            // Retransmissions of paused video would take bandwidth from the audio.
            if let latest = router.latestSequence(path: track.path, producer: producer) {
                track.abandoned = (latest, now)
            }
            outbound.decisions.note(.paused, stream: track.streamName, now: now)
            _ = track.setPaused(true, of: producer, in: router, quiesced)
            session.emit(
                .event(
                    .trackPaused(
                        session: session.name, transport: outbound.id, stream: track.streamName,
                        kind: track.kind)))
            return
        }
        if track.isPausedByBandwidth {
            track.isPausedByBandwidth = false
            outbound.decisions.note(.resumed, stream: track.streamName, now: now)
            if track.setPaused(false, of: producer, in: router, quiesced) {
                session.emit(.requestKeyFrame(producer, isAwaited: true))
            }
            session.emit(
                .event(
                    .trackResumed(
                        session: session.name, transport: outbound.id, stream: track.streamName,
                        kind: track.kind)))
        }
        // A track that waits for a key frame does not change to a larger encoding, because each change would wait for another key frame.
        if track.choice == .automatic, let pending = track.wanted, pending !== producer, pending !== wanted,
            now - track.wantedAt < Self.patience,
            let at = stream.encodings.firstIndex(where: { $0.producer === pending }), selection.encoding > at
        {
            session.emit(.requestKeyFrame(pending, isAwaited: track.isHurried))
            return
        }
        if track.wanted === wanted, track.layerLimit == limit {
            // The key frame that a switch waits for may have been lost.
            if wanted !== producer || router.waitsForKeyFrame(path: track.path, producer: wanted, now: now) {
                session.emit(.requestKeyFrame(wanted, isAwaited: track.isHurried || wanted === producer))
            } else if router.waitsForSpatialLayer(path: track.path, producer: wanted) {
                session.emit(.requestKeyFrame(wanted, isAwaited: false))
            }
            return
        }
        if decision.change == .down, outbound.estimator?.isCongested == true {
            let isLowered = stream.spatialLayers.map {
                $0.spatialLayer(under: limit) < $0.spatialLayer(under: track.layerLimit)
            }
            if wanted !== producer {
                abandon(producer, of: track, router, now: now, quiesced)
                outbound.decisions.note(.abandoned, stream: track.streamName, now: now)
            } else if isLowered == true {
                router.abandonLayers(path: track.path, producer: producer)
                outbound.decisions.note(.abandoned, stream: track.streamName, now: now)
            }
        }
        let isOtherLayer = stream.spatialLayers != nil && track.layerLimit != limit
        if track.wanted !== wanted || isOtherLayer {
            outbound.decisions.note(
                .encoding, stream: track.streamName, value: Int64(selection.encoding), now: now)
        }
        if track.layerLimit != limit {
            outbound.decisions.note(
                .temporalLayer, stream: track.streamName, value: Int64(selection.temporal), now: now)
        }
        track.wanted = wanted
        track.wantedAt = now
        track.layerLimit = limit
        // Later switches can wait for the throttle: an estimate that is too high for a moment would cost two key frames.
        track.isHurried = track.choice != .automatic || !track.hasSwitched
        let waits = router.switchConsumer(
            path: track.path, from: producer, to: wanted, layerLimit: limit, now: now)
        if waits || router.waitsForSpatialLayer(path: track.path, producer: wanted) {
            session.emit(.requestKeyFrame(wanted, isAwaited: track.isHurried))
        }
    }

    /// Drops pending packets of an encoding that congests the path, and excludes it from retransmissions, so
    /// that the key frame of the smaller encoding gets through.
    private func abandon(
        _ producer: Producer, of track: SubscribedTrack, _ router: Router, now: MediaTime,
        _ quiesced: borrowing Quiesced
    ) {
        guard let latest = router.abandon(path: track.path, producer: producer) else { return }
        track.abandoned = (SequenceNumber(UInt16(truncatingIfNeeded: latest)), now)
    }

    // MARK: measurement

    /// Updates the statistics and the estimate of a path from a subscriber's RTCP.
    /// - Returns: whether the subscriber's timers may be due earlier.
    mutating func measure(
        _ packet: RTCPPacket, _ outbound: SubscribeTransport, now: MediaTime, _ counters: inout EngineCounters
    ) -> Bool {
        var report: (blocks: [ReportBlock], roundTrip: MediaTime?)?
        if packet.kind == .receiverReport {
            guard let blocks = try? ReceiverReport(parsing: packet).blocks else {
                counters.droppedMalformedRTCP &+= 1
                return false
            }
            report = (blocks, note(blocks, outbound, now: now))
        }
        guard let estimator = outbound.estimator else { return false }
        var isSooner = false
        switch packet.kind {
        case .transportCC:
            guard let sent = outbound.sent else { return false }
            do {
                try feedback.read(packet)
            } catch {
                counters.droppedMalformedRTCP &+= 1
                return false
            }
            let before = estimator.target
            let wasResting = estimator.isResting
            estimator.receive(feedback, sent: sent, now: now)
            isSooner = wasResting
            // Lost capacity requires an allocation at once.
            if estimator.target < before || outbound.isLevel && estimator.isCongested {
                outbound.allocateSoon()
                isSooner = true
            }
            // The result of a probe may start the next one at once.
            beginProbe(outbound, now: now)
        case .remb:
            guard let remb = try? REMB(parsing: packet) else {
                counters.droppedMalformedRTCP &+= 1
                return false
            }
            let before = estimator.target
            estimator.receive(remb: allowed(by: remb, outbound, now: now), now: now)
            if estimator.target < before {
                outbound.allocateSoon()
                isSooner = true
            }
            // If REMB has risen after a probe, the next probe may start at once.
            beginProbe(outbound, now: now)
        case .receiverReport:
            guard let report else { return false }
            let before = estimator.target
            estimator.receive(reports: report.blocks, roundTrip: report.roundTrip, now: now)
            if estimator.target < before {
                outbound.allocateSoon()
                isSooner = true
            }
            beginProbe(outbound, now: now)
        case .senderReport, .sdes, .bye, .genericNACK, .pli, .fir, .xr, .other:
            break
        }
        return isSooner
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

    /// Stores the loss, jitter and round-trip time that a subscriber reports, for statistics.
    /// - Returns: the round-trip time; nil if the blocks have none.
    private func note(_ blocks: [ReportBlock], _ outbound: SubscribeTransport, now: MediaTime) -> MediaTime? {
        for block in blocks {
            guard let track = outbound.track(of: block.source) else { continue }
            track.lost = Int64(block.cumulativeLost)
            track.jitter = MediaTime(rawValue: Int64(block.jitter) * 1_000_000_000 / Int64(track.kind.clockRate))
        }
        let roundTrip = roundTrip(blocks, outbound, now: now)
        outbound.roundTrip = roundTrip ?? outbound.roundTrip
        return roundTrip
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

    /// Runs the timer of a subscriber's estimator if it is due.
    mutating func handleTimeout(_ outbound: SubscribeTransport, now: MediaTime) {
        guard let estimator = outbound.estimator, now >= estimator.deadline else { return }
        let before = estimator.target
        estimator.handleTimeout(sent: UnsafePointer(outbound.sent), now: now)
        if estimator.target < before { outbound.allocateSoon() }
        beginProbe(outbound, now: now)
    }

    /// Starts the probe that the estimator requests, one at a time, if a stream can carry it.
    private mutating func beginProbe(_ outbound: SubscribeTransport, now: MediaTime) {
        guard outbound.probe == nil, let estimator = outbound.estimator, estimator.mayProbe(now: now),
            outbound.canProbe, let probe = estimator.takeProbe(now: now)
        else { return }
        outbound.probe = ProbePacer(probe, now: now)
        probing.append(outbound)
        nextProbe = min(nextProbe, now)
    }

    /// Sends the padding of running probes that is due.
    /// - Parameter send: sends bytes of padding for a probe, and returns the number that was sent.
    mutating func sendProbes(now: MediaTime, _ send: (SubscribeTransport, Int, ProbePacer) -> Int) {
        nextProbe = .never
        var kept = 0
        for i in probing.indices {
            let outbound = probing[i]
            guard outbound.isOpen, var probe = outbound.probe else { continue }
            let due = probe.due(now: now)
            if due > 0 { probe.note(bytes: send(outbound, due, probe)) }
            outbound.probe = probe.deadline == nil ? nil : probe
            guard let next = probe.deadline else { continue }
            nextProbe = min(nextProbe, max(next, now + Self.probeSpacing))
            probing[kept] = outbound
            kept += 1
        }
        probing.removeLast(probing.count - kept)
    }
}
