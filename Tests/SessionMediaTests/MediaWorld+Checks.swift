import Conference
import MediaBase
import SessionTestKit
import Signaling

@testable import SessionMedia

/// Checks of what holds after each step, and of what a client is told.
extension MediaWorld {
    func checkMutes(of stream: StreamID) {
        for kind in conference.origin(of: stream)?.muted ?? [] {
            checkMute(of: MutedTrack(stream: stream, kind: kind))
        }
    }

    /// Checks that the engine forwards nothing of a track that a client takes for muted.
    func checkMute(of track: MutedTrack) {
        let (stream, kind) = (track.stream, track.kind)
        // It may have been unmuted since, or muted again by a request that is not answered yet.
        let mediaKind: MediaKind = kind == .audio ? .audio : .video
        guard conference.origin(of: stream)?.muted.contains(kind) == true, let there = engine.streams[stream],
            there.kinds.contains(mediaKind)
        else { return }
        let isMutedAgain = open.values.contains {
            if case .muted(let tracks) = $0 { tracks.contains(track) } else { false }
        }
        guard !isMutedAgain else { return }
        let isPending = media.tickets.values.contains {
            if case .setMuted(stream, kind, _) = $0.order { true } else { false }
        }
        // A publisher without a control connection sends nothing before it has its answer.
        if let owner = media.owners[stream], let member = media.members[owner], member.visitor != nil,
            member.publishing != nil
        {
            return
        }
        guard !isPending, !there.muted.contains(mediaKind) else { return }
        faults.append("\(stream) is not muted, and its client was told that it is")
    }

    /// Checks that the peers of a client are in the location that it is told.
    func checkLocation(of id: ConnectionID, _ what: String) {
        for peer in media.members[id]?.peers ?? [] {
            guard let there = engine.peers[peer], !isMoving(peer) else { continue }
            if there.location != media.location(of: id) {
                faults.append("\(what) while \(peer) is in \(there.location)")
            }
        }
    }

    private func isMoving(_ peer: PeerID) -> Bool {
        media.relocations.waiting[peer] != nil || engine.isMoving(peer)
            || media.tickets.values.contains {
                if case .relocate(let locations) = $0.order { locations[peer] != nil } else { false }
            }
    }

    /// Checks what holds after every step.
    func check() {
        for (id, member) in media.members {
            if conference.user(id) == nil { faults.append("\(id) has media and is not in the session") }
            for peer in member.peers {
                guard let there = engine.peers[peer], !isMoving(peer) else { continue }
                if there.location != member.location { faults.append("\(peer) of \(id) is in \(there.location)") }
            }
            let isAsking = open.values.contains { if case .move(id, _) = $0 { true } else { false } }
            if !isAsking, member.location != conference.location(of: id) {
                faults.append("\(id) is in another location")
            }
        }
        for (id, subscriber) in media.visitingSubscribers {
            if !conference.isVisitingSubscriber(id) { faults.append("\(id) has media and may not subscribe") }
            guard let peer = subscriber.peer, let there = engine.peers[peer] else { continue }
            if there.location != .mainSession { faults.append("\(peer) of \(id) is in \(there.location)") }
        }
        if conference.visitingSubscriberCount != media.visitingSubscribers.count {
            faults.append("subscribers without media remain")
        }
        faults += engine.faults
        let held = Set(media.peers.keys)
        if leases != held { faults.append("leases of \(leases), peers \(held)") }
        if conference.isEnded, !media.members.isEmpty || !media.visitingSubscribers.isEmpty {
            faults.append("media after the end")
        }
    }
}
