import MediaBase
import Signaling

@testable import ControlServer
@testable import SDP
@testable import SessionMedia

/// Take-over of a session whose clients have their media at this relay, by this relay.
extension SessionWorld {
    /// Continues the session with the media that the engine had for the previous home relay. Orders that were under way are carried out, and their
    /// answers are lost.
    func takeOver(from lost: SessionWorld) {
        let inventory = lost.opened.inventory
        engine = lost.engine
        opened = lost.opened
        while !engine.mailbox.isEmpty { engine.run() }
        (engine.answers, engine.events) = ([], [])
        // Peers that opened too late, and clients without a control connection, which the previous home relay had itself.
        let known = Set(inventory.peers.map(\.id))
        for peer in engine.peers.keys where !known.contains(peer) { engine.end(peer) }
        turn { $0.takeOver(inventory) }
        settle(until: now + .seconds(1))
        if core.takeOver.isUnderWay { faults.append("the take-over does not end") }
        checkTakenOver()
    }

    /// Checks that the engine has nothing but the media of the session's clients, and that it is as the rules want it.
    private func checkTakenOver() {
        for (id, peer) in engine.peers {
            guard let client = core.media.client(of: id) else {
                faults.append("\(id) remains")
                continue
            }
            if client != peer.client || peer.location != core.conference.location(of: client) {
                faults.append("\(id) of \(peer.client) is in \(peer.location)")
            }
        }
        for (id, stream) in engine.streams {
            guard let origin = core.conference.origin(of: id), core.media.publisher(of: id) == stream.peer else {
                faults.append("\(id) remains")
                continue
            }
            for kind in origin.muted {
                let kind: MediaKind = kind == .audio ? .audio : .video
                if stream.kinds.contains(kind), !stream.muted.contains(kind) { faults.append("\(id) is not muted") }
            }
        }
        for id in clients.keys { checkSubscriber(of: id) }
        for stream in core.conference.streams where engine.streams[stream.id] == nil {
            faults.append("\(stream.id) has no media")
        }
    }

    /// Number of subscribe peer connections with known negotiations.
    var subscriberCount: Int { clients.keys.count { core.media.subscriber(of: $0) != nil } }

    /// Checks that engine, negotiation and rules have the same subscriptions.
    private func checkSubscriber(of id: ConnectionID) {
        guard let subscriber = core.media.members[id]?.subscriber else { return }
        let agreed = subscriber.negotiation.sections.compactMap { section in
            section.agreed.map { (section.mid, StreamID(rawValue: $0.stream)) }
        }
        // The engine may have refused to add or remove tracks.
        if engine.refusals == 0,
            engine.peers[subscriber.id]?.tracks != Dictionary(agreed, uniquingKeysWith: { first, _ in first })
        {
            faults.append("\(subscriber.id) gets other tracks than were negotiated")
        }
        let known = Set(core.conference.subscriptions(of: id).map(\.stream))
        if Set(subscriber.negotiation.subscriptions.map(StreamID.init(rawValue:))) != known {
            faults.append("\(id) has other subscriptions than its peer connection")
        }
    }
}
