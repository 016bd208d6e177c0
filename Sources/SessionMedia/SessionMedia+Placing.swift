package import Conference
import MediaBase
package import Signaling

/// Moves between the main session and subsessions (SUB-3). They do not wait for calls about peer connections, so that clients in different
/// places stop hearing each other at once.
extension SessionMedia {
    /// Moves clients' peers to a place; peers that open later follow.
    package mutating func place(_ ids: [ConnectionID], at place: Place) {
        for id in ids {
            guard let member = members[id], member.visitor == nil, member.place != place else { continue }
            members[id]?.place = place
            for peer in member.peers { placements.waiting[peer] = place }
        }
        movePeers()
    }

    /// Moves a client's peers; the request is answered when all moves until now are done.
    package mutating func move(_ id: ConnectionID, to place: Place, _ request: MediaRequestID) {
        self.place([id], at: place)
        guard placements.isUnderWay else { return outputs.append(.done(request, nil)) }
        placements.next.append(.request(request, id))
    }

    /// Moves a new peer to its client's place, before the client can know of the peer.
    /// - Returns: whether the caller has to wait; `waiter` then continues.
    mutating func place(_ peer: PeerID, of id: ConnectionID, _ waiter: Placements.Waiter) -> Bool {
        guard let place = members[id]?.place, place != .mainSession else { return false }
        placements.waiting[peer] = place
        movePeers()
        placements.next.append(waiter)
        return true
    }

    private mutating func movePeers() {
        guard !placements.isUnderWay, !placements.waiting.isEmpty else { return }
        placements.isUnderWay = true
        issue(.place(placements.waiting), .place)
        placements.waiting = [:]
        placements.current = placements.next
        placements.next = []
    }

    mutating func placed(now: MediaTime) {
        placements.isUnderWay = false
        let waiters = placements.current
        placements.current = []
        for waiter in waiters { resume(waiter, now: now) }
        continueMoves(now: now)
    }

    /// Begins the next call. If there is nothing to move, the work that waits for it continues.
    private mutating func continueMoves(now: MediaTime) {
        movePeers()
        guard !placements.isUnderWay else { return }
        let waiters = placements.next
        placements.next = []
        for waiter in waiters { resume(waiter, now: now) }
    }

    private mutating func resume(_ waiter: Placements.Waiter, now: MediaTime) {
        switch waiter {
        case .request(let request, _): outputs.append(.done(request, nil))
        case .subscriber(let id, let peer): subscriberIsPlaced(peer, of: id, now: now)
        case .publisher(let id, let peer): publisherIsPlaced(peer, of: id)
        }
    }

    mutating func leavePlacements(_ id: ConnectionID, _ error: MediaRefusal) {
        for case .request(let request, id) in placements.current + placements.next {
            outputs.append(.done(request, error))
        }
        placements.current.removeAll { $0.client == id }
        placements.next.removeAll { $0.client == id }
    }
}
