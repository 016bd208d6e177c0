import MediaBase
import SDP
import Transport

/// WebRTC peers of a worker: by id, by local ICE user name fragment and by address, the times at which they are due, and those that have not
/// connected yet. A peer stays in the table from `insert` to `remove`.
struct PeerTable: ~Copyable {
    /// Minimum time between two sweeps.
    static let sweepInterval = MediaTime.milliseconds(10)
    /// Addresses by which a peer is found.
    static let maximumAddresses = 8

    /// Names by which a peer is found, the newest last.
    private struct Names {
        var addresses: [PeerAddress] = []
        /// Two during an ICE restart.
        var fragments: [String]
    }

    /// Outcome of mapping an address to a peer.
    enum Mapping: Equatable {
        /// The address is mapped to the peer from now on, instead of another one if the peer had the maximum number.
        case added(instead: PeerAddress?)
        /// The address was mapped to the peer before.
        case known
        /// A connected peer uses the address, or the peer is not in the table.
        case refused
    }

    /// A pass over the peers that are due.
    struct Sweep {
        fileprivate var index: Int
        fileprivate var visited: WebRTCPeer?
        fileprivate var next = MediaTime.never
    }

    private var byID: [TransportID: WebRTCPeer] = [:]
    private var byFragment: [String: WebRTCPeer] = [:]
    private var byAddress: [PeerAddress: WebRTCPeer] = [:]
    /// Dense array of peers, for iteration. `WebRTCPeer.index` is the position in it.
    private(set) var all: ContiguousArray<WebRTCPeer> = []
    /// Time at which each peer of `all` is due next, so that the search for due peers does not touch the others.
    private var dues: ContiguousArray<MediaTime> = []
    private var names: ContiguousArray<Names> = []
    /// Peers that have not connected yet, oldest first. The array may also hold peers that have connected or ended since.
    private var unestablished: ContiguousArray<WebRTCPeer> = []
    private var unestablishedCount = 0 {
        didSet { total.set(unestablishedCount, of: worker) }
    }
    private var unestablishedBySession: [String: Int] = [:]
    /// Number of connected publishers.
    private(set) var publisherCount = 0
    /// Time at which the next sweep is due.
    private(set) var nextSweep: MediaTime = .never
    private let total: WorkerTotal
    private let worker: Int

    /// - Parameters:
    ///   - total: number of peers of all workers that have not connected yet.
    ///   - worker: index of the worker in `total`.
    init(total: WorkerTotal, worker: Int) {
        self.total = total
        self.worker = worker
    }

    // MARK: membership

    subscript(id: TransportID) -> WebRTCPeer? { byID[id] }

    /// Returns a peer of a session.
    /// - Parameter direction: direction that it must have; nil: any.
    func find(
        _ id: TransportID, _ session: String, _ direction: WebRTCRequest.Direction? = nil
    ) throws(EngineError) -> WebRTCPeer {
        guard let peer = byID[id], peer.session == session, peer.direction == direction ?? peer.direction else {
            throw .unknownTransport(id.rawValue)
        }
        return peer
    }

    func peer(at address: PeerAddress) -> WebRTCPeer? { byAddress[address] }

    func peer(fragment: String) -> WebRTCPeer? { byFragment[fragment] }

    /// Adds a peer that may connect from now on.
    mutating func insert(_ peer: WebRTCPeer, fragment: String, now: MediaTime) {
        byFragment[fragment] = peer
        byID[peer.id] = peer
        peer.index = all.count
        all.append(peer)
        dues.append(.never)
        names.append(Names(fragments: [fragment]))
        if unestablished.count > 2 * unestablishedCount + 64 {
            unestablished.removeAll { $0.index < 0 || $0.isConnected }
        }
        unestablished.append(peer)
        unestablishedCount += 1
        unestablishedBySession[peer.session, default: 0] += 1
        schedule(peer, now: now)
    }

    /// Removes a peer; the last one gets its index.
    /// - Returns: the addresses by which it was found; nil if it was not in the table.
    mutating func remove(_ peer: WebRTCPeer) -> [PeerAddress]? {
        let index = peer.index
        guard index >= 0 else { return nil }
        let gone = names[index]
        let last = all.removeLast()
        let due = dues.removeLast()
        let lastNames = names.removeLast()
        if last !== peer {
            all[index] = last
            dues[index] = due
            names[index] = lastNames
            last.index = index
        }
        peer.index = -1
        byID[peer.id] = nil
        for fragment in gone.fragments { byFragment[fragment] = nil }
        for address in gone.addresses { byAddress[address] = nil }
        if !peer.isConnected { discountUnestablished(peer) }
        if peer.isConnected, peer.direction == .publish { publisherCount -= 1 }
        return gone.addresses
    }

    /// Records that a peer has connected.
    mutating func connect(_ peer: WebRTCPeer) {
        peer.isConnected = true
        if peer.direction == .publish { publisherCount += 1 }
        discountUnestablished(peer)
    }

    /// Returns the number of a session's peers that have not connected yet.
    func unestablishedCount(in session: String) -> Int { unestablishedBySession[session, default: 0] }

    private mutating func discountUnestablished(_ peer: WebRTCPeer) {
        unestablishedCount -= 1
        guard let count = unestablishedBySession[peer.session] else { return }
        unestablishedBySession[peer.session] = count > 1 ? count - 1 : nil
    }

    /// Returns the worker with the most peers that have not connected; nil if all workers together have fewer than the limit.
    func fullestWorker(limit: Int) -> Int? { total.sum < limit ? nil : total.largest(preferring: worker) }

    /// Returns the peer that has had the longest time to connect, and does not return it again. The caller removes it.
    mutating func takeOldestUnestablished() -> WebRTCPeer? {
        while !unestablished.isEmpty {
            let oldest = unestablished.removeFirst()
            if oldest.index >= 0, !oldest.isConnected { return oldest }
        }
        return nil
    }

    /// Returns the publisher that a stream is reserved for until it has connected.
    func unconnectedPublisher(of stream: String, session: String) -> WebRTCPeer? {
        all.first { peer in
            peer.session == session && peer.inbound == nil && peer.published.contains { $0.stream == stream }
        }
    }

    // MARK: ICE restarts

    /// Prepares an ICE restart of a peer.
    /// - Returns: the credentials that the relay offers for it, the same until the restart happens.
    func prepareRestart(of peer: WebRTCPeer, _ numbers: inout IdentifierSource) -> ICECredentials {
        let local = peer.prepared ?? numbers.credentials(besides: self)
        peer.prepareRestart(local)
        return local
    }

    /// Restarts ICE.
    /// - Parameter remote: new credentials of the peer.
    /// - Returns: new credentials of the relay.
    mutating func restartICE(
        of peer: WebRTCPeer, to remote: ICECredentials, _ numbers: inout IdentifierSource, now: MediaTime
    ) -> ICECredentials {
        let local = prepareRestart(of: peer, &numbers)
        peer.restart(local: local, remote: remote, now: now)
        schedule(peer, now: now)
        add(fragment: local.ufrag, of: peer)
        return local
    }

    /// Finds a peer also by the fragment of an ICE restart. A third fragment replaces the first one, whose restart is over by then.
    mutating func add(fragment: String, of peer: WebRTCPeer) {
        guard peer.index >= 0 else { return }
        names[peer.index].fragments.append(fragment)
        byFragment[fragment] = peer
        if names[peer.index].fragments.count > 2 { byFragment[names[peer.index].fragments.removeFirst()] = nil }
    }

    /// Sets the subsessions of peers of a session, and of subscribers that have not answered yet. Others are ignored.
    /// - Returns: the peers whose subsession has changed.
    func setSubsessions(_ moves: [PeerMove], session: String, _ awaited: inout AwaitedSubscribers) -> [WebRTCPeer] {
        var moved: [WebRTCPeer] = []
        for move in moves where !awaited.move(move, session: session) {
            guard let peer = byID[move.peer], peer.session == session, peer.subsession != move.subsession else {
                continue
            }
            peer.subsession = move.subsession
            moved.append(peer)
        }
        return moved
    }

    // MARK: addresses

    /// Maps an address to a peer. Beyond the maximum, the oldest address that is not in use is removed; the caller closes it if it is a
    /// TCP connection. A connected peer keeps its address while authentic packets arrive from there: the source of a check can be forged,
    /// and the check of one client would otherwise stop the media of another.
    mutating func note(_ address: PeerAddress, of peer: WebRTCPeer, now: MediaTime) -> Mapping {
        let before = byAddress[address]
        guard before !== peer else { return .known }
        guard peer.index >= 0, before?.isInUse(address, now: now) != true else { return .refused }
        if let before { names[before.index].addresses.removeAll { $0 == address } }
        byAddress[address] = peer
        names[peer.index].addresses.append(address)
        guard names[peer.index].addresses.count > Self.maximumAddresses,
            let oldest = names[peer.index].addresses.firstIndex(where: { $0 != peer.address })
        else { return .added(instead: nil) }
        let removed = names[peer.index].addresses.remove(at: oldest)
        byAddress[removed] = nil
        return .added(instead: removed)
    }

    /// Forgets an address.
    /// - Returns: the peer that it was mapped to.
    mutating func forget(_ address: PeerAddress) -> WebRTCPeer? {
        guard let peer = byAddress.removeValue(forKey: address) else { return nil }
        names[peer.index].addresses.removeAll { $0 == address }
        return peer
    }

    // MARK: due times

    /// Schedules a peer, one of whose timers may be due earlier than before.
    mutating func schedule(_ peer: WebRTCPeer, now: MediaTime) {
        guard peer.index >= 0 else { return }
        let due = peer.due
        dues[peer.index] = due
        nextSweep = min(nextSweep, max(due, now + Self.sweepInterval))
    }

    /// Begins a sweep. It visits peers from the last to the first, because the last peer gets the index of a peer that ends.
    func beginSweep() -> Sweep { Sweep(index: all.count - 1) }

    /// Returns the next peer that is due; nil at the end of the sweep, whose successor is then scheduled.
    mutating func next(in sweep: inout Sweep, now: MediaTime) -> WebRTCPeer? {
        while true {
            if let visited = sweep.visited {
                if visited.index >= 0 { dues[visited.index] = visited.due }
                sweep.visited = nil
                finish(&sweep)
            }
            sweep.index = min(sweep.index, all.count - 1)
            guard sweep.index >= 0 else {
                nextSweep = max(sweep.next, now + Self.sweepInterval)
                return nil
            }
            if dues[sweep.index] <= now {
                sweep.visited = all[sweep.index]
                return sweep.visited
            }
            finish(&sweep)
        }
    }

    private func finish(_ sweep: inout Sweep) {
        if sweep.index < dues.count { sweep.next = min(sweep.next, dues[sweep.index]) }
        sweep.index -= 1
    }
}
