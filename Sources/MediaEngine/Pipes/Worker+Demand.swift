import Forwarding
import MediaBase
import RTP

/// Encodings on demand between relays.
extension Worker {
    /// Handles the demand of a pipe's receiving end, and its numbers of takers. Other packets of applications are ignored.
    func receiveDemand(_ packet: RTCPPacket, of pipe: SubscribeTransport, now: MediaTime) {
        guard pipe.isPipe, let packet = try? APP(parsing: packet) else { return }
        if let takers = PipeTakers(packet) {
            for entry in takers.entries { pipe.track(of: SSRC(entry.ssrc))?.piped.takers = Int(entry.takers) }
        }
        guard configuration.encodingsOnDemand, let demand = PipeDemand(packet) else { return }
        let session = pipe.session
        let changes = session.changes(by: demand, of: pipe, now: now)
        guard !changes.isEmpty else { return }
        session.change(changes, of: pipe, now: now, flush())
        carryOut(session)
    }

    /// Handles the rates that a pipe's sending end announces. Other packets of applications are ignored.
    func receiveRates(_ packet: RTCPPacket, from pipe: PublishTransport, now: MediaTime) {
        guard pipe.isPipe, let rates = (try? APP(parsing: packet)).flatMap({ PipeRates($0) }) else { return }
        var isChanged = false
        for entry in rates.entries {
            guard let index = plain.track(of: entry.ssrc, from: pipe, inbound), inbound[index].pointee.kind == .video
            else { continue }
            let track = inbound[index]
            let isOther = track.pointee.producer.takeUnretainedValue().announce(entry.rates, now: now)
            isChanged = isChanged || isOther
            let receivers = pipe.session.parts.receivers
            guard receivers != 0 else { continue }
            let record = LinkRecord(kind: .rates, track: track.pointee.number, arrival: now.rawValue)
            withUnsafeBytes(of: entry.rates) { links.append(record, $0, to: receivers) }
        }
        guard isChanged else { return }
        pipe.session.noteWithheld()
        carryOut(pipe.session)
    }

    /// Returns whether another relay withholds an encoding, or holds an encoding back that is not taken at this one. Its key frames are then of
    /// no use.
    func isUnneeded(_ producer: Producer) -> Bool {
        let now = time()
        if producer.isWithheld(now: now) { return true }
        guard producer.tag >= 0, producer.isHeldBack(now: now) else { return false }
        let stream = inbound[producer.tag].pointee.stream.takeUnretainedValue()
        return stream.isOnDemand && !stream.takes(producer) && !stream.demand.isNeeded(producer.tag, now: now)
    }

    /// Home worker: notes which encodings of mirrored streams a part takes, and the numbers of their takers there.
    func notePartNeeds(_ tracks: [UInt64: Int], part worker: Int, number: UInt64, of name: String) {
        guard let session = sessions[name], !session.isPart else { return }
        session.parts.note(needed: tracks, by: worker, number: number)
        housekeepingSchedule.visitSoon(session, now: time())
    }

    /// Other workers: tells the home worker which encodings of mirrored streams the part takes, and the numbers of their takers.
    func reportNeeds(_ tracks: [UInt64: Int], of session: EngineSession) {
        let name = session.name
        let isAccepted = session.part?.post(
            { $0.notePartNeeds(tracks, part: $1, number: $2, of: name) }, from: index, totals)
        // The next visit tries again.
        if isAccepted != true { session.part?.needed = nil }
    }
}
