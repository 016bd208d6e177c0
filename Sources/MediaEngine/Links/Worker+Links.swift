import Forwarding
import MediaBase

/// Packets of the sessions whose home workers are others.
extension Worker {
    /// Handles records of all links, a limited number of each.
    func readLinks() {
        for reader in links.readers.indices {
            read(reader, atMost: WorkerLinks.recordsPerTurn, before: links[reader].messages + 1)
        }
    }

    /// Handles the records of a link that precede a message.
    func read(_ reader: Int, atMost limit: Int = .max, before message: UInt64) {
        // The link is held, not read from the table for each record: handling a record may change the table.
        let link = links[reader].link
        link.read(atMost: limit, before: message) { record, bytes in
            if let index = links[reader].mirror(of: record.track) { receive(record, bytes, of: inbound[index]) }
        }
    }

    private func receive(
        _ record: LinkRecord, _ bytes: UnsafeRawBufferPointer, of track: UnsafeMutablePointer<InboundTrack>
    ) {
        let session = track.pointee.session.takeUnretainedValue()
        let producer = track.pointee.producer.takeUnretainedValue()
        switch record.kind {
        case .withheld: session.withhold(track, producer, egress)
        case .clock:
            session.receive(clock: record, of: track)
            carryOut(session)
        case .rates:
            guard bytes.count >= MemoryLayout<AnnouncedRates>.size else { return }
            let isChanged = producer.announce(
                bytes.loadUnaligned(as: AnnouncedRates.self), now: MediaTime(rawValue: record.arrival))
            if isChanged {
                session.noteWithheld()
                carryOut(session)
            }
        case .packet:
            guard let packet = record.packet(bytes) else { return }
            if producer.configuration.ssrc != packet.header.ssrc {
                session.restart(producer, with: packet.header, inbound, flush())
                carryOut(session)
            }
            forward(
                packet.header, packet.payload, record.extensions.values, descriptor: packet.descriptor, of: track,
                now: MediaTime(rawValue: record.arrival))
        }
    }
}
