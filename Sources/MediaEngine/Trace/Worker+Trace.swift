import Forwarding
import MediaBase

/// Packet headers and decisions for user reports.
extension Worker {
    /// Maximum number of headers in one trace, shared equally by its tracks.
    private static let maximumHeaders = 8_000

    func trace(of id: TransportID, session: String, _ quiesced: borrowing Quiesced) throws(EngineError) -> PeerTrace {
        let now = time()
        var trace = PeerTrace(now: now)
        if awaited[id]?.session == session { return trace }
        let peer = try find(id, session)
        if let inbound = peer.inbound {
            let producers = inbound.producers.joined().count { $0 != nil }
            let limit = Self.maximumHeaders / max(1, producers)
            for (section, encodings) in zip(inbound.sections, inbound.producers) {
                for (encoding, producer) in zip(section.track.encodings, encodings) {
                    guard let producer else { continue }
                    trace.published.append(
                        PeerTrace.Track(
                            stream: section.stream.name, kind: section.track.kind, encoding: encoding.rid,
                            headers: headers(of: producer, limit, now)))
                }
            }
        }
        if let outbound = peer.outbound {
            follow(outbound.session, quiesced)
            let limit = Self.maximumHeaders / max(1, outbound.tracks.count)
            for track in outbound.tracks {
                guard let producer = track.producer else { continue }
                let stream = outbound.session.stream(named: track.streamName)
                let consumer = producer.core.pointee.index(path: track.path).map {
                    producer.core.pointee.consumers[$0]
                }
                trace.subscribed.append(
                    PeerTrace.Track(
                        stream: track.streamName, kind: track.kind,
                        encoding: stream?.encodings.first { $0.producer === producer }?.rid,
                        sequenceOffset: consumer?.rewrite.sequenceOffset, headers: headers(of: producer, limit, now)))
            }
        }
        let decisions = peer.outbound?.decisions ?? peer.inbound?.decisions
        trace.decisions = decisions?.recent(now: now) ?? []
        return trace
    }

    private func headers(of producer: Producer, _ limit: Int, _ now: MediaTime) -> [HeaderNote] {
        guard producer.tag >= 0 else { return [] }
        return inbound[producer.tag].pointee.headers?.recent(limit: limit, now: now) ?? []
    }
}
