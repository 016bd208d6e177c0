import Forwarding
import MediaBase

/// Key frames for plain subscribers, most of which send no PLI.
extension Worker {
    /// Starts the video of plain subscribers again if they have sent no RTCP yet and a time of their
    /// schedule has passed.
    func startPlainSubscribersAgain(in session: EngineSession, now: MediaTime, _ quiesced: borrowing Quiesced) {
        guard !session.starting.isEmpty else { return }
        for transport in session.starting where transport.starts.take(now: now) {
            for track in transport.tracks {
                guard let feeder = videoFeeder(of: track, in: session) else { continue }
                requestKeyFrame(of: feeder)
                startAgain(track, of: feeder, in: session, cacheAge: StartSchedule.cacheAge, quiesced)
            }
        }
        session.starting.removeAll { $0.starts.isOver }
    }

    /// Starts the video of a plain subscriber again at its client's request, within its budget of key frames.
    func requestKeyFrame(_ id: TransportID, session name: String, _ quiesced: borrowing Quiesced) throws(EngineError) {
        guard let session = sessions[name] else { throw .unknownSession(name) }
        guard let transport = session.subscribers[id], transport.isPlain else {
            throw .unknownTransport(id.rawValue)
        }
        for track in transport.tracks {
            guard let feeder = videoFeeder(of: track, in: session),
                serveKeyFrame(to: track, of: feeder, in: session, now: time())
            else { continue }
            startAgain(track, of: feeder, in: session, quiesced)
        }
    }

    /// Returns the producer that feeds a video track; nil if it is muted.
    private func videoFeeder(of track: SubscribedTrack, in session: EngineSession) -> Producer? {
        guard track.kind == .video, let producer = track.producer, !producer.isMuted else { return nil }
        return session.router.feeder(path: track.path, ssrc: track.ssrc, expected: producer) ?? producer
    }

    private func startAgain(
        _ track: SubscribedTrack, of feeder: Producer, in session: EngineSession, cacheAge: MediaTime = .zero,
        _ quiesced: borrowing Quiesced
    ) {
        if session.router.startAgain(path: track.path, producer: feeder, ifOlderThan: cacheAge) {
            egress.noteCatchingUp(session)
        }
    }
}
