package import Conference
import MediaBase
package import Signaling

/// Moves between the main session and subsessions (SUB-3). They do not wait for calls about peer connections, so that clients in different
/// locations stop hearing each other at once.
extension SessionMedia {
    /// Moves clients' peers to a location; peers that open later follow.
    package mutating func relocate(_ ids: [ConnectionID], to location: Location) {
        for id in ids {
            guard let member = members[id], member.visitor == nil, member.location != location else { continue }
            members[id]?.location = location
            for peer in member.peers { relocations.waiting[peer] = location }
        }
        movePeers()
    }

    /// Moves a client's peers; the request is answered when all moves until now are done.
    package mutating func move(_ id: ConnectionID, to location: Location, _ request: MediaRequestID) {
        self.relocate([id], to: location)
        guard relocations.isUnderWay else { return outputs.append(.done(request, nil)) }
        relocations.next.append(.request(request, id))
    }

    /// Moves a new peer to its client's location, before the client can know of the peer.
    /// - Returns: whether the caller has to wait; `waiter` then continues.
    mutating func relocate(_ peer: PeerID, of id: ConnectionID, _ waiter: Relocations.Waiter) -> Bool {
        guard let location = members[id]?.location, location != .mainSession else { return false }
        relocations.waiting[peer] = location
        movePeers()
        relocations.next.append(waiter)
        return true
    }

    private mutating func movePeers() {
        guard !relocations.isUnderWay, !relocations.waiting.isEmpty else { return }
        relocations.isUnderWay = true
        issue(.relocate(relocations.waiting), .relocate)
        relocations.waiting = [:]
        relocations.current = relocations.next
        relocations.next = []
    }

    mutating func relocated(now: MediaTime) {
        relocations.isUnderWay = false
        let waiters = relocations.current
        relocations.current = []
        for waiter in waiters { resume(waiter, now: now) }
        continueMoves(now: now)
    }

    /// Begins the next call. If there is nothing to move, the work that waits for it continues.
    private mutating func continueMoves(now: MediaTime) {
        movePeers()
        guard !relocations.isUnderWay else { return }
        let waiters = relocations.next
        relocations.next = []
        for waiter in waiters { resume(waiter, now: now) }
    }

    private mutating func resume(_ waiter: Relocations.Waiter, now: MediaTime) {
        switch waiter {
        case .request(let request, _): outputs.append(.done(request, nil))
        case .subscriber(let id, let peer): subscriberIsRelocated(peer, of: id, now: now)
        case .publisher(let id, let peer): publisherIsRelocated(peer, of: id)
        }
    }

    mutating func leaveRelocations(_ id: ConnectionID, _ error: MediaRefusal) {
        for case .request(let request, id) in relocations.current + relocations.next {
            outputs.append(.done(request, error))
        }
        relocations.current.removeAll { $0.client == id }
        relocations.next.removeAll { $0.client == id }
    }
}
