import Conference
import MediaBase
import SessionTestKit
import Signaling

@testable import ControlServer
@testable import SessionMedia

/// Checks after each step, and at the end.
extension SessionWorld {
    /// Checks that the engine forwards nothing of a track that its client takes for muted.
    func checkMute(of track: MutedTrack) {
        let kind: MediaKind = track.kind == .audio ? .audio : .video
        guard core.conference.origin(of: track.stream)?.muted.contains(track.kind) == true,
            let there = engine.streams[track.stream], there.kinds.contains(kind)
        else { return }
        // A publisher without a control connection sends nothing before it has its answer.
        if let owner = core.media.owners[track.stream], let member = core.media.members[owner],
            member.visitor != nil, member.publishing != nil
        {
            return
        }
        // Another request that is not answered yet, or a publication in progress, may have changed it since.
        let isChanging =
            clients.values.contains { $0.open != nil && $0.isMuting }
            || core.media.owners[track.stream].map { core.media.members[$0]?.publishing != nil } ?? false
        if !isChanging, !there.muted.contains(kind) { faults.append("\(track.stream) is reported as muted and is not") }
    }

    /// Checks that no peer of a client is in another part of the session than the client.
    func checkLocations() {
        for (id, member) in core.media.members {
            if core.conference.user(id) == nil { faults.append("\(id) has media and is not in the session") }
            for peer in member.peers {
                guard let there = engine.peers[peer], !isMoving(peer) else { continue }
                if there.location != member.location { faults.append("\(peer) of \(id) is in \(there.location)") }
            }
        }
    }

    private func isMoving(_ peer: PeerID) -> Bool {
        core.media.relocations.waiting[peer] != nil || engine.isMoving(peer)
            || core.media.tickets.values.contains {
                if case .relocate(let locations) = $0.order { locations[peer] != nil } else { false }
            }
    }

    /// Checks that nothing of any client remains.
    func checkNothingRemains() {
        if !core.media.isEmpty { faults.append("media remains") }
        if !core.requests.isEmpty { faults.append("requests remain") }
        if !core.visits.isEmpty || !visits.isEmpty { faults.append("visits remain") }
        if core.leases.count > 0 { faults.append("\(core.leases.count) leases remain") }
        if !core.clients.all.isEmpty { faults.append("clients remain") }
        if !engine.peers.isEmpty || !engine.streams.isEmpty { faults.append("the engine has peers") }
        if !context.resources.isEmpty { faults.append("resources are counted") }
        if ends.count != 1 { faults.append("the session ended \(ends.count) times") }
    }
}
