import Cluster
import MediaEngine
import MillraceTestKit
import SessionMedia
import Signaling

@testable import ControlServer

/// Loss of the home relay. Another relay asks the others for what they have.
extension ClusterWorld {
    /// Runs a call, and notes what it opens at a relay that is not the home relay.
    func run(_ call: MediaCall, at relay: MediaRelay) -> MediaCallResult? {
        guard relay != .home else { return relays[relay]?.run(call) }
        if case .inventory = call { return .success(.inventory(opened[relay]?.inventory ?? MediaInventory())) }
        opened[relay, default: OpenedMedia()].begin(call)
        let result = relays[relay]?.run(call)
        if case .success(let answer)? = result { opened[relay]?.finish(call, answer) }
        return result
    }

    /// Loses the home relay with its media, and all calls and answers under way.
    ///
    /// - Parameter edge: relay that takes the session over; nil: one that had no media of it.
    func takeOver(by edge: RelayIdentity? = nil) {
        for case (_, _, .call(_, let relay, let call)) in arrivals where relay != .home && random.below(2) == 0 {
            // It had arrived, and its answer is lost.
            opened[relay, default: OpenedMedia()].begin(call)
            guard case .success(let answer)? = relays[relay]?.run(call) else { continue }
            var late = OpenedMedia()
            late.finish(call, answer)
            close(late.inventory, at: relay)
        }
        (arrivals, latest, open, peers) = ([], [:], [:], [:])
        media = ClusterMedia()
        var kept: MediaInventory?
        if let edge {
            relays[.home] = relays.removeValue(forKey: .edge(edge))
            kept = opened.removeValue(forKey: .edge(edge))?.inventory
            others.removeAll { $0 == edge }
        } else {
            relays[.home] = RelayModel(name: "next", seed: UInt64(random.below(1_000)))
        }
        media.takeOver(asking: Dictionary(uniqueKeysWithValues: others.map { ($0, true) }), now: now)
        if let kept { adopt(kept, at: .home) }
        carryOut()
    }

    private func close(_ inventory: MediaInventory, at relay: MediaRelay) {
        for peer in inventory.peers { _ = relays[relay]?.run(.order(.closePeer(peer.id, isPlain: peer.isPlain))) }
        for id in inventory.receivers.map(\.end.id) + inventory.senders.map(\.end.id) {
            _ = relays[relay]?.run(.closePipe(id))
        }
    }

    /// Adopts the known peers, apart from some whose clients have left.
    func adopt(_ inventory: MediaInventory, at relay: MediaRelay) {
        for peer in inventory.peers {
            var streams: [StreamID]?
            switch peer.use {
            case .publishes(_, _, let published): streams = published.map(\.id)
            case .subscribes: streams = []
            case nil: break
            }
            let isPublisher = if case .publishes? = peer.use { true } else { false }
            // A stream may be published at two relays, if the call that closes the first publisher was lost.
            if let streams, peer.location != nil, adoptsAll || random.below(5) > 0,
                media.adopt(peer.id, isPublisher: isPublisher, Set(streams), at: relay)
            {
                peers[peer.id] = (relay, streams)
            } else {
                media.discard(peer.id, isPlain: peer.isPlain, at: relay, now: now)
            }
        }
        media.continuePipes(of: relay, inventory.receivers, inventory.senders, now: now)
    }
}
