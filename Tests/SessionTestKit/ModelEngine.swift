package import Conference
package import MediaBase
package import MillraceTestKit
import SDP
package import SessionMedia
package import Signaling

/// Model of a media engine: runs orders one after the other, and answers late, in any order, with refusals, or never.
package struct ModelEngine {
    package struct Peer {
        package var client: ConnectionID
        package var isPublisher: Bool
        package var isPlain = false
        package var location = Location.mainSession
        /// Streams by section, of a subscriber.
        package var tracks: [MID: StreamID] = [:]
    }

    package struct Stream {
        package var peer: PeerID
        package var kinds: Set<MediaKind> = []
        package var muted: Set<MediaKind> = []
    }

    package enum Event {
        case began(StreamID, PeerID)
        case closed(StreamID, PeerID)
        case gone(PeerID)
    }

    package var random: SeededGenerator
    /// Percentage of orders that are refused, and that are never answered.
    package var refusals = 0
    package var silence = 0
    package var mailbox: [(ticket: MediaTicket, order: MediaOrder)] = []
    package var answers: [(ticket: MediaTicket, answer: Result<MediaAnswer, MediaFailure>)] = []
    package var events: [Event] = []
    package var peers: [PeerID: Peer] = [:]
    package var streams: [StreamID: Stream] = [:]
    package var faults: [String] = []
    /// Orders that are never answered.
    package var silent = 0
    private var counter = 0

    package init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private mutating func relay() -> RelayDescription {
        RelayDescription(
            credentials: .random(using: &random), fingerprint: fingerprint(1), setup: .passive,
            candidates: [
                ICECandidate(foundation: "1", transport: .udp, priority: 1, host: "192.0.2.9", port: 7882)
            ])
    }

    package func isMoving(_ peer: PeerID) -> Bool {
        mailbox.contains { if case .relocate(let locations) = $0.order { locations[peer] != nil } else { false } }
    }

    /// Runs the oldest order.
    package mutating func run() {
        guard !mailbox.isEmpty else { return }
        let (ticket, order) = mailbox.removeFirst()
        let answer: Result<MediaAnswer, MediaFailure>
        do throws(MediaFailure) {
            try refuse(order)
            answer = .success(try carryOut(order))
        } catch {
            answer = .failure(error)
        }
        if random.below(100) < silence { silent += 1 } else { answers.append((ticket, answer)) }
    }

    private mutating func refuse(_ order: MediaOrder) throws(MediaFailure) {
        guard random.below(100) < refusals else { return }
        switch order {
        // The engine always accepts these.
        case .closeStream, .closePeer: return
        case .relocate: throw MediaFailure(.busy, SignalingError(.limitReached))
        default: throw MediaFailure(random.below(2) == 0 ? .busy : .other, SignalingError(.limitReached))
        }
    }

    private mutating func carryOut(_ order: MediaOrder) throws(MediaFailure) -> MediaAnswer {
        switch order {
        case .setMuted(let stream, let kind, let isMuted):
            guard streams[stream] != nil else { throw MediaFailure(.noStream, SignalingError(.unknownStream)) }
            let kind: MediaKind = kind == .audio ? .audio : .video
            if isMuted { streams[stream]?.muted.insert(kind) } else { streams[stream]?.muted.remove(kind) }
        case .closeStream(let stream):
            guard let ended = streams.removeValue(forKey: stream) else {
                throw MediaFailure(.noStream, SignalingError(.unknownStream))
            }
            events.append(.closed(stream, ended.peer))
        case .closePeer(let id, let isPlain):
            if try peer(id).isPlain != isPlain { faults.append("\(id) is closed as another kind of transport") }
            end(id)
        case .relocate(let locations): for (id, location) in locations { peers[id]?.location = location }
        case .openPublisher(let client, _, let sections):
            let id = open(client, isPublisher: true)
            publish(sections, id)
            return .publisher(id, relay())
        case .updatePublisher(let id, _, let sections):
            _ = try peer(id)
            let named = Set(sections.map(\.stream))
            for (stream, value) in streams where value.peer == id && !named.contains(stream) {
                streams[stream] = nil
                events.append(.closed(stream, id))
            }
            publish(sections, id)
            return .publisher(id, relay())
        case .openSubscriber(let client, _):
            return .subscriber(open(client, isPublisher: false), relay(), videoCodecs: [.vp8])
        case .openVisitor(_, let visitor): return try open(visitor)
        case .connect(let id, _), .restart(let id, _), .setPreferences(let id, _, _): _ = try peer(id)
        case .prepareRestart(let id):
            _ = try peer(id)
            return .credentials(.random(using: &random))
        case .addTracks(let id, let tracks):
            _ = try peer(id)
            for track in tracks { peers[id]?.tracks[track.track.mid] = StreamID(rawValue: track.stream) }
        case .removeTracks(let id, let mids):
            _ = try peer(id)
            for mid in mids { peers[id]?.tracks[mid] = nil }
        }
        return .done
    }

    private func peer(_ id: PeerID) throws(MediaFailure) -> Peer {
        guard let peer = peers[id] else { throw MediaFailure(.noPeer, SignalingError(.unknownTransport)) }
        return peer
    }

    private mutating func open(_ client: ConnectionID, isPublisher: Bool) -> PeerID {
        counter += 1
        let id = PeerID(rawValue: "peer\(counter)")
        peers[id] = Peer(client: client, isPublisher: isPublisher)
        return id
    }

    /// Media of a publisher arrives as soon as its transport is open, before any further mute.
    private mutating func open(_ visitor: MediaVisitor) throws(MediaFailure) -> MediaAnswer {
        var codec: VideoCodec?
        var begun: Set<MediaKind>?
        let id = PeerID(rawValue: "peer\(counter + 1)")
        if case .publish(let stream, let kinds) = visitor.purpose {
            guard streams[stream] == nil else { throw MediaFailure(.other, SignalingError(.streamExists)) }
            let muted = Set(visitor.startsMuted.map { $0 == .audio ? MediaKind.audio : .video })
            streams[stream] = Stream(peer: id, kinds: kinds, muted: muted)
            codec = kinds.contains(.video) ? .vp8 : nil
            if visitor.isPlain { begun = kinds } else { events.append(.began(stream, id)) }
        }
        _ = open(visitor.connection, isPublisher: visitor.isPublisher)
        peers[id]?.isPlain = visitor.isPlain
        return .visitor(id, videoCodec: codec, kinds: begun)
    }

    private mutating func publish(_ sections: [PublishSection], _ id: PeerID) {
        for section in sections { streams[section.stream]?.kinds = [] }
        for section in sections {
            // A section of an earlier offer keeps its mute.
            let isNew = streams[section.stream] == nil
            if isNew { streams[section.stream] = Stream(peer: id) }
            if isNew || section.startsMuted, section.startsMuted {
                streams[section.stream]?.muted.insert(section.track.kind)
            }
            streams[section.stream]?.peer = id
            streams[section.stream]?.kinds.insert(section.track.kind)
            events.append(.began(section.stream, id))
        }
    }

    /// Ends a peer without an event.
    package mutating func end(_ id: PeerID) {
        peers[id] = nil
        streams = streams.filter { $0.value.peer != id }
    }

    /// Ends a peer without an order, as after a lost path.
    package mutating func lose(_ id: PeerID) {
        end(id)
        events.append(.gone(id))
    }
}

/// Returns a fingerprint of a certificate with this number.
package func fingerprint(_ number: UInt8) -> CertificateFingerprint {
    guard let fingerprint = CertificateFingerprint(.sha256, bytes: [UInt8](repeating: number, count: 32)) else {
        preconditionFailure("a SHA-256 fingerprint has 32 bytes")
    }
    return fingerprint
}
