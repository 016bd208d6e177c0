import Forwarding
import MediaBase
import RTP

/// Relay of the publishers: holds back the encodings that the receiving end of a pipe does not need, and announces their rates, so that the
/// other relay can choose among all encodings.
extension EngineSession {
    /// Returns the tracks of a pipe that begin or cease to be held back by a demand. Unknown SSRCs have ended, and are ignored. So are audio,
    /// and demands that a later one has overtaken.
    func changes(by demand: PipeDemand, of pipe: SubscribeTransport, now: MediaTime) -> [SubscribedTrack] {
        var changes: [SubscribedTrack] = []
        for (ssrcs, isHeldBack) in [(demand.wanted, false), (demand.unwanted, true)] {
            for ssrc in ssrcs {
                guard let track = pipe.track(of: SSRC(ssrc)), track.kind == .video,
                    track.piped.demand.map({ Int32(bitPattern: demand.number &- $0) > 0 }) ?? true
                else { continue }
                track.piped.demand = demand.number
                // Without a key frame on request, an encoding that is needed again could not begin soon.
                guard !isHeldBack || now >= track.piped.keptUntil else { continue }
                guard !isHeldBack || track.producer.map({ $0.replayLimit < .never }) ?? false else { continue }
                if track.piped.isHeldBack != isHeldBack { changes.append(track) }
            }
        }
        return changes
    }

    /// Holds tracks of a pipe back, or sends those again that are held back, from their next key frames on. Frames from before would put the
    /// video of the subscribers back in time.
    func change(
        _ tracks: [SubscribedTrack], of pipe: SubscribeTransport, now: MediaTime, _ quiesced: borrowing Quiesced
    ) {
        for track in tracks {
            let wasStopped = track.piped.isStopped
            track.piped.isHeldBack.toggle()
            stopOrContinue(track, wasStopped: wasStopped, now: now, quiesced)
        }
        announceRates(of: tracks, through: pipe, now: now)
    }

    /// Stops a track, or sends it again from its next key frame on, if its state has changed.
    func stopOrContinue(_ track: SubscribedTrack, wasStopped: Bool, now: MediaTime, _ quiesced: borrowing Quiesced) {
        guard track.piped.isStopped != wasStopped else { return }
        track.piped.stoppedUntil = track.piped.isStopped ? .never : now
        guard let producer = track.producer else { return }
        if track.setPaused(track.piped.isStopped, of: producer, in: router, quiesced) {
            emit(.requestKeyFrame(producer, isAwaited: true))
        }
    }

    /// Emits the rates that are due: those of encodings that are held back, or were until a moment ago.
    func announceRates(now: MediaTime) {
        guard pipes > 0, now >= announceAt else { return }
        announceAt = now + PipeFormat.controlInterval
        for pipe in subscribers.members where pipe.isPipe {
            let tracks = pipe.tracks.filter { now - $0.piped.stoppedUntil < PipeFormat.measuringTime }
            announceRates(of: tracks, through: pipe, now: now)
        }
    }

    func announceRates(of tracks: [SubscribedTrack], through pipe: SubscribeTransport, now: MediaTime) {
        var rest = tracks.filter { $0.producer != nil }[...]
        while let first = rest.first {
            let entries = rest.prefix(PipeRates.maximumEntries).compactMap { track in
                track.producer.map {
                    PipeRates.Entry(
                        ssrc: track.ssrc,
                        rates: AnnouncedRates(
                            of: $0, isHeldBack: track.piped.isStopped, isWithheld: track.piped.isWithheld, now: now))
                }
            }
            var bytes: [UInt8] = []
            PipeRates(entries).write(from: first.ssrc, into: &bytes)
            emit(.sendToSubscriber(bytes, first, pipe))
            rest = rest.dropFirst(PipeRates.maximumEntries)
        }
    }
}
