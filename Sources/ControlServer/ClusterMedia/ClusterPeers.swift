import SessionMedia
import Signaling

/// Peers of a session's clients, and the streams that they publish, by relay.
struct ClusterPeers {
    private struct Peer {
        let relay: MediaRelay
        let isPublisher: Bool
        var streams: Set<StreamID> = []
    }

    /// Maximum number of peers that are noted as gone before they were introduced.
    static let maximumGoneEarly = 1_024

    private var peers: [PeerID: Peer] = [:]
    private var publishers: [MediaRelay: Int] = [:]
    private var subscribers: [MediaRelay: Int] = [:]
    /// Subscribers without a control connection that are being opened, which need the streams of the other relays beforehand.
    private var expected: [MediaRelay: Int] = [:]
    private var origins: [StreamID: MediaRelay] = [:]
    /// Number of calls under way that open peers.
    private var openings = 0
    /// Peers whose end was reported before the answer that introduces them.
    private var goneEarly: Set<PeerID> = []

    // MARK: queries

    /// Returns the relay that has a peer; nil if none is known.
    func relay(of peer: PeerID) -> MediaRelay? { peers[peer]?.relay }

    /// Returns the relay that a stream is published at; nil if it is not published.
    func origin(of stream: StreamID) -> MediaRelay? { origins[stream] }

    /// Returns the streams of a publisher; nil for other peers.
    func published(by peer: PeerID) -> Set<StreamID>? {
        peers[peer].flatMap { $0.isPublisher ? $0.streams : nil }
    }

    /// Returns whether a relay has peers, or is about to have some.
    func isUsed(_ relay: MediaRelay) -> Bool {
        publishers[relay] != nil || subscribers[relay] != nil || expected[relay] != nil
    }

    /// Pipes that the peers need: from each relay with publishers to each other one with subscribers, and to the home relay, which records and
    /// taps.
    var routes: Set<MediaPipe.Route> {
        var routes: Set<MediaPipe.Route> = []
        let receivers = Set(subscribers.keys).union(expected.keys).union([.home])
        for from in publishers.keys {
            for to in receivers where to != from {
                routes.insert(MediaPipe.Route(from: from, to: to))
            }
        }
        return routes
    }

    // MARK: changes

    /// Notes that a subscriber without a control connection is being opened, which needs pipes to its relay.
    mutating func beginExpecting(at relay: MediaRelay) { expected[relay, default: 0] += 1 }

    mutating func endExpecting(at relay: MediaRelay) {
        expected[relay, default: 1] -= 1
        if expected[relay] == 0 { expected[relay] = nil }
    }

    mutating func beginOpening() { openings += 1 }

    mutating func endOpening() {
        openings -= 1
        if openings == 0 { goneEarly = [] }
    }

    /// Notes the peer that an answer introduces or changes.
    /// - Returns: false if it cannot be a peer of that relay.
    mutating func admit(_ id: PeerID, by order: MediaOrder, at relay: MediaRelay) -> Bool {
        let streams = Set(order.publishedStreams)
        if let known = peers[id] {
            guard known.relay == relay, !order.opensPeer else { return false }
            removeOrigins(known.streams.subtracting(streams), relay)
            peers[id]?.streams = streams
        } else {
            // The answer may come after the end of the peer.
            guard order.opensPeer, !goneEarly.contains(id) else { return true }
            peers[id] = Peer(relay: relay, isPublisher: order.opensPublisher, streams: streams)
            count(relay, isPublisher: order.opensPublisher, 1)
        }
        for stream in streams { origins[stream] = relay }
        return true
    }

    /// Notes a peer that the session's previous home relay had opened.
    /// - Returns: false if it cannot be a peer of that relay.
    mutating func adopt(_ id: PeerID, isPublisher: Bool, _ streams: Set<StreamID>, at relay: MediaRelay) -> Bool {
        guard peers[id] == nil, streams.allSatisfy({ origins[$0] == nil }) else { return false }
        peers[id] = Peer(relay: relay, isPublisher: isPublisher, streams: streams)
        count(relay, isPublisher: isPublisher, 1)
        for stream in streams { origins[stream] = relay }
        return true
    }

    /// Notes the end of a peer that its relay reports, which the answer that introduces it may follow.
    mutating func noteGone(_ id: PeerID) {
        if peers[id] == nil, openings > 0, goneEarly.count < Self.maximumGoneEarly { goneEarly.insert(id) }
    }

    mutating func forget(_ id: PeerID) {
        guard let peer = peers.removeValue(forKey: id) else { return }
        count(peer.relay, isPublisher: peer.isPublisher, -1)
        removeOrigins(peer.streams, peer.relay)
    }

    mutating func close(_ stream: StreamID) { origins[stream] = nil }

    /// Forgets the peers of a relay that was lost, and returns them.
    mutating func lost(_ relay: MediaRelay) -> [PeerID] {
        let ended = peers.filter { $0.value.relay == relay }.map(\.key)
        for id in ended { forget(id) }
        return ended
    }

    private mutating func removeOrigins(_ streams: Set<StreamID>, _ relay: MediaRelay) {
        for stream in streams where origins[stream] == relay { origins[stream] = nil }
    }

    private mutating func count(_ relay: MediaRelay, isPublisher: Bool, _ change: Int) {
        if isPublisher {
            publishers[relay, default: 0] += change
            if publishers[relay] == 0 { publishers[relay] = nil }
        } else {
            subscribers[relay, default: 0] += change
            if subscribers[relay] == 0 { subscribers[relay] = nil }
        }
    }
}
