import Conference
import MediaBase
import MediaEngine
import SDP
import SessionMedia
import Signaling

/// Notes what the calls of a home relay open, change and close at this relay. No IO: `begin` precedes each call, `finish` follows a call that
/// has succeeded. The time between them matters: a change that was under way when the home relay died leaves its peer unknown.
struct OpenedMedia {
    private struct Peer {
        var isPlain = false
        /// Nil without a control connection.
        var client: ConnectionID?
        /// Description in the last offer of a publisher.
        var description: PeerDescription?
        var kinds: [StreamID: Set<MediaKind>] = [:]
        /// Whether a change of its streams is under way, or has failed.
        var isUnknown = false
        /// Negotiation of a subscriber; nil while a change is under way, and after it until the home relay says it.
        var negotiation: SavedNegotiation?
        var preferences: [StreamID: SubscriptionPreferences] = [:]
        var unsupported: Set<StreamID> = []
        /// Nil if a move is under way, or has failed.
        var location: Location? = .mainSession
    }

    private var peers: [PeerID: Peer] = [:]
    private var receivers: [TransportID: MediaInventory.Receiver] = [:]
    private var senders: [TransportID: MediaInventory.Sender] = [:]
    /// Publisher of each stream.
    private var publishers: [StreamID: PeerID] = [:]
    private var muted: [StreamID: Set<TrackKind>] = [:]

    // MARK: calls

    /// Notes a call that is about to be carried out.
    mutating func begin(_ call: MediaCall) {
        switch call {
        case .order(.updatePublisher(let peer, _, _)): peers[peer]?.isUnknown = true
        case .order(.setMuted(let stream, let kind, let isMuted)):
            guard publishers[stream] != nil else { break }
            if isMuted { muted[stream, default: []].insert(kind) } else { muted[stream]?.remove(kind) }
        case .order(.closeStream(let stream)): remove(stream)
        case .order(.closePeer(let peer, _)): remove(peer)
        case .order(.connect(let peer, _)), .order(.restart(let peer, _)), .order(.prepareRestart(let peer)),
            .order(.addTracks(let peer, _)), .order(.removeTracks(let peer, _)):
            peers[peer]?.negotiation = nil
        case .order(.setPreferences(let peer, let stream, let preferences)):
            peers[peer]?.negotiation = nil
            peers[peer]?.preferences[stream] = preferences
        case .negotiated(let peer, let negotiation): settle(peer, negotiation)
        case .order(.relocate(let locations)): for peer in locations.keys { peers[peer]?.location = nil }
        case .mirror(let description, let pipe, let sender):
            receivers[pipe]?.sender = sender
            receivers[pipe]?.streams.formUnion(description.streams.map(\.name))
        case .closePipe(let pipe):
            receivers[pipe] = nil
            senders[pipe] = nil
        default: break
        }
    }

    /// Notes a call that has succeeded.
    mutating func finish(_ call: MediaCall, _ answer: MediaCallAnswer) {
        switch (call, answer) {
        case (.order(.openPublisher(let client, let description, let sections)), .media(.publisher(let peer, _))):
            peers[peer] = Peer(client: client)
            publish(sections, description, by: peer)
        case (.order(.updatePublisher(let peer, let description, let sections)), .media(.publisher)):
            publish(sections, description, by: peer)
        case (.order(.openSubscriber(let client, _)), .media(.subscriber(let peer, _, _))):
            peers[peer] = Peer(client: client)
        case (.order(.relocate(let locations)), _):
            for (peer, location) in locations { peers[peer]?.location = location }
        case (_, .opened(let answer)): peers[PeerID(answer.id)] = Peer()
        case (_, .openedPlain(let transport)): peers[PeerID(transport.id)] = Peer(isPlain: true)
        case (.openPipeReceiver, .pipe(let end)): receivers[end.id] = MediaInventory.Receiver(end: end)
        case (.openPipeSender(_, let receiver), .pipe(let end)):
            senders[end.id] = MediaInventory.Sender(end: end, receiver: receiver.id)
        case (.mirror(let description, let pipe, _), _):
            receivers[pipe]?.streams = Set(description.streams.map(\.name))
        default: break
        }
    }

    private mutating func settle(_ id: PeerID, _ negotiation: SavedNegotiation) {
        guard let peer = peers[id], peer.client != nil, peer.description == nil else { return }
        peers[id]?.negotiation = negotiation
        let streams = Set(negotiation.subscriptions.map(StreamID.init(rawValue:)))
        peers[id]?.preferences = peer.preferences.filter { streams.contains($0.key) }
        peers[id]?.unsupported = peer.unsupported.intersection(streams)
    }

    /// Notes whether a subscriber takes the codec of a stream.
    mutating func note(_ stream: StreamID, isSupported: Bool, by id: PeerID) {
        guard let peer = peers[id], peer.preferences[stream] != nil else { return }
        if isSupported { peers[id]?.unsupported.remove(stream) } else { peers[id]?.unsupported.insert(stream) }
    }

    /// Notes the end of a peer.
    mutating func remove(_ peer: PeerID) {
        guard let ended = peers.removeValue(forKey: peer) else { return }
        for stream in ended.kinds.keys where publishers[stream] == peer { forget(stream) }
    }

    private mutating func remove(_ stream: StreamID) {
        guard let peer = publishers[stream] else { return }
        peers[peer]?.kinds[stream] = nil
        forget(stream)
    }

    private mutating func forget(_ stream: StreamID) {
        publishers[stream] = nil
        muted[stream] = nil
    }

    /// Makes the streams of a publisher those of the sections. New sections begin with their own mutes, earlier ones keep theirs.
    private mutating func publish(_ sections: [PublishSection], _ description: PeerDescription, by peer: PeerID) {
        guard let before = peers[peer]?.kinds else { return }
        var kinds: [StreamID: Set<MediaKind>] = [:]
        for section in sections {
            let kind = section.track.kind
            kinds[section.stream, default: []].insert(kind)
            publishers[section.stream] = peer
            guard before[section.stream]?.contains(kind) != true else { continue }
            let track: TrackKind = kind == .audio ? .audio : .video
            if section.startsMuted {
                muted[section.stream, default: []].insert(track)
            } else {
                muted[section.stream]?.remove(track)
            }
        }
        for stream in before.keys where kinds[stream] == nil && publishers[stream] == peer { forget(stream) }
        peers[peer]?.kinds = kinds
        peers[peer]?.description = description
        peers[peer]?.isUnknown = false
    }

    // MARK: inventory

    var inventory: MediaInventory {
        var sections = 0
        return MediaInventory(
            peers: peers.sorted { $0.key.rawValue < $1.key.rawValue }.map { id, peer in
                let count = peer.negotiation?.sectionCount ?? 0
                let isShort = count <= MediaInventory.maximumSections - sections
                if isShort { sections += count }
                return MediaInventory.Peer(
                    id: id, isPlain: peer.isPlain, use: use(of: peer), location: peer.location,
                    subscriber: isShort ? subscriber(peer) : nil)
            },
            receivers: receivers.values.sorted { $0.end.id.rawValue < $1.end.id.rawValue },
            senders: senders.values.sorted { $0.end.id.rawValue < $1.end.id.rawValue })
    }

    private func subscriber(_ peer: Peer) -> MediaInventory.Subscriber? {
        peer.negotiation.map {
            MediaInventory.Subscriber(
                negotiation: $0, preferences: peer.preferences, unsupported: peer.unsupported)
        }
    }

    private func use(of peer: Peer) -> MediaInventory.Use? {
        guard let client = peer.client, !peer.isUnknown else { return nil }
        guard let description = peer.description else { return .subscribes(client) }
        let streams = peer.kinds.map { stream, kinds in
            let muted = (muted[stream] ?? []).filter { kinds.contains($0 == .audio ? .audio : .video) }
            return MediaInventory.Stream(id: stream, kinds: kinds, muted: muted)
        }
        return .publishes(client, description, streams.sorted { $0.id.rawValue < $1.id.rawValue })
    }
}
