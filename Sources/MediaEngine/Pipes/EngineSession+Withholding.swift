import Forwarding
import MediaBase
import RTP

/// Relay of the publishers: withholds encodings of a pipe whose path is too narrow.
extension EngineSession {
    /// Time for which the largest remaining encoding of a stream is sent without demand, after a larger one was withheld: its takers ask for it
    /// one round trip later.
    private static let bridging = MediaTime.seconds(1)
    /// Ratio of the pacing rate to that of the sent encodings on a limited path.
    private static let haste = 1.2

    /// Withholds encodings of a pipe that its path cannot carry, and lets them return when it can.
    func limit(
        _ pipe: SubscribeTransport, _ inbound: borrowing InboundTable, now: MediaTime, _ quiesced: borrowing Quiesced
    ) {
        guard let estimator = pipe.estimator, pipe.limit != nil else { return }
        let wasInForce = pipe.limit?.isInForce ?? false
        guard pipe.limit?.update(estimator, now: now) == true else {
            if wasInForce { release(pipe, estimator, now: now) }
            return
        }
        let videos = videos(of: pipe, now: now)
        let path = PipeAllocator.Path(
            target: estimator.target, capacity: estimator.capacity, isFull: estimator.isFull,
            isCongested: estimator.isCongested, isTrial: estimator.isLimitedByLoss)
        let allocation = pipe.limit?.allocator.allocate(
            videos.map(\.video), audio: audioRate(of: pipe, inbound, now: now), path: path, now: now)
        guard let allocation else { return }
        apply(allocation, to: videos.map(\.tracks), of: pipe, now: now, quiesced)
        pipe.limit?.withheld = allocation.withheld
        estimator.wanted = allocation.wanted
        estimator.used = allocation.used
        estimator.canProbe = pipe.canProbe
        let rate = max(estimator.pacingRate, Bitrate(saturating: Double(allocation.used.rawValue) * Self.haste))
        router.path(pipe.path).pointee.pacing.setRate(rate, now: now)
    }

    /// Ends the limit of a pipe whose path has shown none for a while.
    private func release(_ pipe: SubscribeTransport, _ estimator: BandwidthEstimator, now: MediaTime) {
        pipe.limit?.end()
        estimator.wanted = Bitrate(rawValue: 0)
        estimator.used = Bitrate(rawValue: 0)
        router.path(pipe.path).pointee.pacing.setRate(Bitrate(rawValue: 0), now: now)
    }

    /// Adds the gauges of the session's pipes.
    func countLimits(into counters: inout EngineCounters) {
        guard pipes > 0 else { return }
        for pipe in subscribers.members {
            guard let limit = pipe.limit, limit.isInForce, let estimator = pipe.estimator else { continue }
            counters.pipesLimited += 1
            counters.pipeEstimate &+= UInt64(clamping: estimator.capacity.rawValue)
            counters.withheldEncodings += UInt64(limit.withheld)
        }
    }

    /// Returns the videos that a pipe can carry, with the tracks of their encodings.
    private func videos(
        of pipe: SubscribeTransport, now: MediaTime
    ) -> [(video: PipedVideo, tracks: [SubscribedTrack])] {
        var tracks: [ObjectIdentifier: SubscribedTrack] = [:]
        for track in pipe.tracks where track.kind == .video {
            if let producer = track.producer { tracks[ObjectIdentifier(producer)] = track }
        }
        return streams.compactMap { stream in
            let sent = stream.encodings.compactMap { tracks[ObjectIdentifier($0.producer)] }
            guard !sent.isEmpty else { return nil }
            return (PipedVideo(stream: stream.name, encodings: sent.map { encoding($0, now: now) }), sent)
        }
    }

    private func encoding(_ track: SubscribedTrack, now: MediaTime) -> PipedVideo.Encoding {
        guard let producer = track.producer, producer.isActive(now: now), !producer.isMuted else {
            return PipedVideo.Encoding(bitrate: 0, isDemanded: !track.piped.isHeldBack, takers: track.piped.takers)
        }
        let rate = producer.measured(now: now).bitrates.last?.rawValue ?? 0
        return PipedVideo.Encoding(bitrate: rate, isDemanded: !track.piped.isHeldBack, takers: track.piped.takers)
    }

    /// Returns the rate of the audio that a pipe carries: that of the loudest tracks.
    private func audioRate(
        of pipe: SubscribeTransport, _ inbound: borrowing InboundTable, now: MediaTime
    ) -> Bitrate {
        var sum: Int64 = 0
        for track in pipe.tracks where track.kind == .audio {
            guard let producer = track.producer, producer.isActive(now: now), !producer.isMuted, producer.tag >= 0,
                !inbound[producer.tag].pointee.isWithheld
            else { continue }
            sum += producer.measured(now: now).bitrates.last?.rawValue ?? 0
        }
        return Bitrate(rawValue: sum)
    }

    private func apply(
        _ allocation: PipeAllocation, to videos: [[SubscribedTrack]], of pipe: SubscribeTransport, now: MediaTime,
        _ quiesced: borrowing Quiesced
    ) {
        var changes: [SubscribedTrack] = []
        var withheld = 0
        for (index, tracks) in videos.enumerated() {
            let available = allocation.available[index]
            for (rank, track) in tracks.enumerated() {
                let isWithheld = rank >= available
                // The next smaller encoding replaces withheld ones: it is sent, with a key frame, before its new takers can ask for it.
                let isNext = rank == available - 1 && allocation.lowered.contains(index)
                if isNext { track.piped.keptUntil = now + Self.bridging }
                guard track.piped.isWithheld != isWithheld || isNext else { continue }
                let wasStopped = track.piped.isStopped
                if isWithheld, !track.piped.isWithheld {
                    withheld += 1
                    if !wasStopped { abandon(track, now: now) }
                }
                track.piped.isWithheld = isWithheld
                if isNext {
                    track.piped.isHeldBack = false
                    if !wasStopped, let producer = track.producer {
                        emit(.requestKeyFrame(producer, isAwaited: true))
                    }
                }
                stopOrContinue(track, wasStopped: wasStopped, now: now, quiesced)
                changes.append(track)
            }
        }
        guard !changes.isEmpty else { return }
        if withheld > 0 { emit(.withheld(encodings: withheld)) }
        announceRates(of: changes, through: pipe, now: now)
    }

    /// Excludes the packets of a track that is withheld from retransmissions, which would take bandwidth from the others.
    private func abandon(_ track: SubscribedTrack, now: MediaTime) {
        guard let producer = track.producer, let latest = router.latestSequence(path: track.path, producer: producer)
        else { return }
        track.abandoned = (latest, now)
    }
}
