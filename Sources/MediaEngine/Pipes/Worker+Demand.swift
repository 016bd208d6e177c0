import Forwarding
import MediaBase
import RTP

/// Encodings on demand between relays.
extension Worker {
    /// Handles the demand of a pipe's receiving end. Other packets of applications are ignored.
    func receiveDemand(_ packet: RTCPPacket, of pipe: SubscribeTransport, now: MediaTime) {
        guard pipe.isPipe, configuration.encodingsOnDemand,
            let demand = (try? APP(parsing: packet)).flatMap({ PipeDemand($0) })
        else { return }
        let session = pipe.session
        let changes = session.changes(by: demand, of: pipe)
        guard !changes.isEmpty else { return }
        session.change(changes, of: pipe, now: now, flush())
        carryOut(session)
    }

    /// Handles the rates that a pipe's sending end announces. Other packets of applications are ignored.
    func receiveRates(_ packet: RTCPPacket, from pipe: PublishTransport, now: MediaTime) {
        guard pipe.isPipe, let rates = (try? APP(parsing: packet)).flatMap({ PipeRates($0) }) else { return }
        for entry in rates.entries {
            guard let index = plain.track(of: entry.ssrc, from: pipe, inbound), inbound[index].pointee.kind == .video
            else { continue }
            let track = inbound[index]
            track.pointee.producer.takeUnretainedValue().announce(entry.rates, now: now)
            let receivers = pipe.session.parts.receivers
            guard receivers != 0 else { continue }
            let record = LinkRecord(kind: .rates, track: track.pointee.number, arrival: now.rawValue)
            withUnsafeBytes(of: entry.rates) { links.append(record, $0, to: receivers) }
        }
    }

    /// Returns whether another relay holds an encoding back that is not taken at this one. Its key frames are then of no use.
    func isUnneeded(_ producer: Producer) -> Bool {
        let now = time()
        guard producer.tag >= 0, producer.isHeldBack(now: now) else { return false }
        let stream = inbound[producer.tag].pointee.stream.takeUnretainedValue()
        return stream.isOnDemand && !stream.takes(producer) && !stream.demand.isNeeded(producer.tag, now: now)
    }

    /// Home worker: notes which encodings of mirrored streams a part takes.
    func notePartNeeds(_ tracks: Set<UInt64>, part worker: Int, number: UInt64, of name: String) {
        guard let session = sessions[name], !session.isPart else { return }
        session.parts.note(needed: tracks, by: worker, number: number)
        housekeepingSchedule.visitSoon(session, now: time())
    }

    /// Other workers: tells the home worker which encodings of mirrored streams the part takes.
    func reportNeeds(_ tracks: Set<UInt64>, of session: EngineSession) {
        let name = session.name
        let isAccepted = session.part?.post(
            { $0.notePartNeeds(tracks, part: $1, number: $2, of: name) }, from: index, totals)
        // The next visit tries again.
        if isAccepted != true { session.part?.needed = nil }
    }
}
