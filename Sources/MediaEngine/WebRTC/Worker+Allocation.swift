import Forwarding
import MediaBase

/// Distribution of a path's capacity over the subscriber's tracks.
extension Worker {
    /// Time after connecting in which the estimate is unreliable: the video with the highest priority is sent regardless of it.
    private static let settling = MediaTime.seconds(2)
    private static let patience = MediaTime.seconds(2)
    /// Ratio of the pacing rate to the tracks' bit rate while the path has shown no limit.
    private static let haste = 2.5
    /// Bit rate assumed for a subscriber that sends no feedback about its path.
    private static let unlimited = Bitrate(rawValue: 1 << 40)

    /// Selects the encoding and the temporal layers of every video track, and the pacing rate.
    func allocate(_ outbound: SubscribeTransport, now: MediaTime, _ quiesced: borrowing Quiesced) {
        follow(outbound.session, quiesced)
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
            guard let track = outbound.track(decision.id) else { continue }
            let choices = claims.first { $0.id == decision.id }?.encodings ?? []
            apply(decision, among: choices, to: track, of: outbound, now: now, quiesced)
        }
        let isIdle = claims.allSatisfy { $0.kind == .audio || !$0.encodings.contains(where: \.isActive) }
        outbound.note(allocation, isLimited: isLimited, isIdle: isIdle, now: now)
        if outbound.session.router.hasNewCatchUps { noteCatchingUp(outbound.session) }
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
    func claims(of outbound: SubscribeTransport, now: MediaTime) -> [AllocatedTrack] {
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
        _ decision: LayerAllocation.Decision, among choices: [AllocatedTrack.Encoding], to track: SubscribedTrack,
        of outbound: SubscribeTransport, now: MediaTime, _ quiesced: borrowing Quiesced
    ) {
        guard let producer = track.producer, let stream = outbound.session.stream(named: track.streamName) else {
            return
        }
        let router = outbound.session.router
        guard let selection = decision.selection, let (wanted, limit) = stream.source(of: selection, in: choices) else {
            // Without an active encoding there is nothing to pause: the track continues when packets arrive again.
            guard decision.isPausedByBandwidth, !track.isPausedByBandwidth else { return }
            track.isPausedByBandwidth = true
            counters.tracksPaused &+= 1
            // Retransmissions of paused video would take bandwidth from the audio.
            if let latest = router.latestSequence(path: track.path, producer: producer) {
                track.abandoned = (latest, now)
            }
            outbound.decisions.note(.paused, stream: track.streamName, now: now)
            _ = setPaused(true, track, of: producer, in: outbound.session, quiesced)
            events.send(
                .trackPaused(
                    session: outbound.session.name, transport: outbound.id, stream: track.streamName,
                    kind: track.kind))
            return
        }
        if track.isPausedByBandwidth {
            track.isPausedByBandwidth = false
            outbound.decisions.note(.resumed, stream: track.streamName, now: now)
            if setPaused(false, track, of: producer, in: outbound.session, quiesced) {
                requestKeyFrame(of: producer, isAwaited: true)
            }
            events.send(
                .trackResumed(
                    session: outbound.session.name, transport: outbound.id, stream: track.streamName,
                    kind: track.kind))
        }
        // A track that waits for a key frame does not change to a larger encoding, because each change would wait for another key frame.
        if track.choice == .automatic, let pending = track.wanted, pending !== producer, pending !== wanted,
            now - track.wantedAt < Self.patience,
            let at = stream.encodings.firstIndex(where: { $0.producer === pending }), selection.encoding > at
        {
            requestKeyFrame(of: pending, isAwaited: track.isHurried)
            return
        }
        if track.wanted === wanted, track.layerLimit == limit {
            // The key frame that a switch waits for may have been lost.
            if wanted !== producer || router.waitsForKeyFrame(path: track.path, producer: wanted, now: now) {
                requestKeyFrame(of: wanted, isAwaited: track.isHurried || wanted === producer)
            } else if router.waitsForSpatialLayer(path: track.path, producer: wanted) {
                requestKeyFrame(of: wanted)
            }
            return
        }
        if decision.change == .down, wanted !== producer, outbound.estimator?.isCongested == true {
            abandon(producer, of: track, router, now: now, quiesced)
            outbound.decisions.note(.abandoned, stream: track.streamName, now: now)
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
            requestKeyFrame(of: wanted, isAwaited: track.isHurried)
        }
    }
}

extension Worker {
    /// Drops pending packets of an encoding that congests the path, and excludes it from retransmissions, so
    /// that the key frame of the smaller encoding gets through.
    private func abandon(
        _ producer: Producer, of track: SubscribedTrack, _ router: Router, now: MediaTime,
        _ quiesced: borrowing Quiesced
    ) {
        guard let latest = router.abandon(path: track.path, producer: producer) else { return }
        track.abandoned = (SequenceNumber(UInt16(truncatingIfNeeded: latest)), now)
    }
}
