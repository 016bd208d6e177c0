import Forwarding
import MediaBase

extension PeerTrace {
    /// Maximum number of headers in one trace, shared equally by its tracks.
    private static let maximumHeaders = 8_000

    /// Collects packet headers and decisions for user reports.
    init(of peer: WebRTCPeer, _ table: borrowing InboundTable, now: MediaTime, _ quiesced: borrowing Quiesced) {
        self.init(now: now)
        peer.outbound?.session.follow(quiesced)
        if let inbound = peer.inbound {
            let producers = inbound.producers.joined().count { $0 != nil }
            let limit = Self.maximumHeaders / max(1, producers)
            for (section, encodings) in zip(inbound.sections, inbound.producers) {
                for (encoding, producer) in zip(section.track.encodings, encodings) {
                    guard let producer else { continue }
                    published.append(
                        PeerTrace.Track(
                            stream: section.stream.name, kind: section.track.kind, encoding: encoding.rid,
                            headers: Self.headers(of: producer, limit, table, now)))
                }
            }
        }
        if let outbound = peer.outbound {
            let limit = Self.maximumHeaders / max(1, outbound.tracks.count)
            for track in outbound.tracks {
                guard let producer = track.producer else { continue }
                let stream = outbound.session.stream(named: track.streamName)
                let consumer = producer.core.pointee.index(path: track.path).map {
                    producer.core.pointee.consumers[$0]
                }
                subscribed.append(
                    PeerTrace.Track(
                        stream: track.streamName, kind: track.kind,
                        encoding: stream?.encodings.first { $0.producer === producer }?.rid,
                        sequenceOffset: consumer?.rewrite.sequenceOffset,
                        headers: Self.headers(of: producer, limit, table, now)))
            }
        }
        let decisions = peer.outbound?.decisions ?? peer.inbound?.decisions
        self.decisions = decisions?.recent(now: now) ?? []
    }

    private static func headers(
        of producer: Producer, _ limit: Int, _ table: borrowing InboundTable, _ now: MediaTime
    ) -> [HeaderNote] {
        guard producer.tag >= 0 else { return [] }
        return table[producer.tag].pointee.headers?.recent(limit: limit, now: now) ?? []
    }
}
