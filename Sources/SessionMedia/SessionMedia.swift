package import Conference
package import MediaBase
package import Signaling

/// Media of one session: the peer connections of its clients, the transports of clients without a control connection, the owners of
/// streams, moves between subsessions, and the order of the calls that carry all of this out. No IO and no clock: requests of clients, commands of `Conference` and answers of the
/// media plane go in; orders, events for `Conference` and answers to clients come out.
///
/// Orders that stop or resume media, close something or move peers are made at once. Those about one peer connection follow each other,
/// each after the answer to the one before; different peer connections do not wait for each other.
///
/// ```swift
/// media.command(.subscribe(client, stream, preferences))
/// for (ticket, order) in media.takeOrders() { … }      // at once, then media.settle(ticket, answer, now: now)
/// for output in media.takeOutputs(now: now) { … }      // until there are neither orders nor outputs
/// ```
package struct SessionMedia: Sendable {
    /// What an order in progress is for.
    enum Purpose: Sendable {
        case atOnce(MediaOrder)
        case relocate
        case subscriber(ConnectionID)
        case openSubscriber(ConnectionID)
        case updatePublisher(ConnectionID)
        case openPublisher(ConnectionID)
        case openVisitor(MediaVisitor)

        /// Number of tries while the media plane's queue is full. Clients repeat publish requests themselves. A move is never given
        /// up, because media would continue to flow between clients that it separates.
        var maximumTries: Int {
            switch self {
            case .relocate: .max
            case .subscriber, .openSubscriber: SessionMedia.maximumTries
            case .atOnce, .updatePublisher, .openPublisher, .openVisitor: 1
            }
        }

        var opensPeer: Bool {
            switch self {
            case .openSubscriber, .openPublisher, .openVisitor: true
            default: false
            }
        }
    }

    var members: [ConnectionID: MediaMember] = [:]
    /// Subscribers without a control connection.
    var visitingSubscribers: [ConnectionID: VisitingSubscriber] = [:]
    /// Client of each peer.
    var peers: [PeerID: ConnectionID] = [:]
    /// Owner of each stream, from its publish plan on. Owners may have no control connection.
    package internal(set) var owners: [StreamID: ConnectionID] = [:]
    /// Kinds of the tracks of each stream.
    package internal(set) var kinds: [StreamID: Set<MediaKind>] = [:]
    var relocations = Relocations()
    /// Orders in progress.
    var tickets: [MediaTicket: (purpose: Purpose, order: MediaOrder)] = [:]
    private var retries = OrderRetries()
    /// Ends of the time for publish requests and admissions in progress, in their order.
    var timeLimits: [(due: MediaTime, request: MediaRequestID, client: ConnectionID)] = []
    var barriers: [MediaBarrier] = []
    /// Newest order in progress for each track.
    var mutes: [MutedTrack: MediaTicket] = [:]
    /// Peers that ended before the answer that introduces them.
    var goneEarly: Set<PeerID> = []
    /// Planned offers, in the order of their times.
    var offers: [(due: MediaTime, client: ConnectionID)] = []
    var outputs: [MediaOutput] = []
    /// Members with new work for their subscribe peer connections.
    private var ready: [ConnectionID] = []
    /// Members of `ready` that have been served.
    private var firstReady = 0
    private var orders: [(ticket: MediaTicket, order: MediaOrder)] = []
    private var nextTicket: UInt64 = 0
    /// Calls in progress at which members with new work for their subscribe peer connections wait, so that mutes and closes do not queue
    /// behind those of a whole audience.
    static let maximumCalls = 256
    /// Tries of a call about a subscribe peer connection while the media plane's queue of calls is full. With the growing pauses of
    /// `OrderRetries` they take 1 s; an engine that stays full for longer is overloaded, and the client is told.
    package static let maximumTries = 12
    let maximumSubscriptions: Int
    /// Whether there are outputs for relays that may continue the session's subscribe peer connections.
    package var savesSubscribers = false
    var random: any RandomNumberGenerator & Sendable

    /// - Parameters:
    ///   - maximumSubscriptions: limit per client.
    ///   - random: generator for SSRCs; seeded in tests only.
    package init(maximumSubscriptions: Int, random: any RandomNumberGenerator & Sendable) {
        self.maximumSubscriptions = maximumSubscriptions
        self.random = random
    }

    // MARK: state

    package func subscriber(of client: ConnectionID) -> PeerID? { members[client]?.subscriber?.id }
    /// Returns the client that a peer belongs to.
    package func client(of peer: PeerID) -> ConnectionID? { peers[peer] }

    package func publisher(of client: ConnectionID) -> PeerID? { members[client]?.publisher?.id }
    package func hasPublished(_ client: ConnectionID) -> Bool { members[client]?.hasPublished == true }
    package func location(of client: ConnectionID) -> Location { members[client]?.location ?? .mainSession }
    /// Locations with clients, and the main session.
    var locations: Set<Location> { Set(members.values.map(\.location)).union([.mainSession]) }

    /// Whether messages to the client contain media keys, now or later.
    package func usesKeys(_ client: ConnectionID) -> Bool {
        guard let member = members[client] else { return false }
        return member.subscribeTransport == .native || member.publisher?.peer?.isNative == true
    }

    /// Whether nothing remains of any client, stream or order.
    package var isEmpty: Bool {
        members.isEmpty && visitingSubscribers.isEmpty && timeLimits.isEmpty && peers.isEmpty && owners.isEmpty
            && kinds.isEmpty
            && relocations.isEmpty && tickets.isEmpty
            && barriers.isEmpty && mutes.isEmpty && goneEarly.isEmpty && offers.isEmpty && outputs.isEmpty
            && orders.isEmpty && retries.isEmpty
    }

    // MARK: outputs

    /// Returns the orders since the last call.
    package mutating func takeOrders() -> [(ticket: MediaTicket, order: MediaOrder)] {
        defer { orders = [] }
        return orders
    }

    package var hasOrders: Bool { !orders.isEmpty }

    /// Ticket of the newest order.
    package var lastTicket: MediaTicket { MediaTicket(rawValue: nextTicket) }

    /// Continues the work of all members that can go on, and returns the outputs since the last call.
    package mutating func takeOutputs(now: MediaTime) -> [MediaOutput] {
        while firstReady < ready.count, tickets.count < Self.maximumCalls {
            firstReady += 1
            work(for: ready[firstReady - 1], now: now)
        }
        if firstReady * 2 >= ready.count {
            ready.removeFirst(firstReady)
            firstReady = 0
        }
        defer { outputs = [] }
        return outputs
    }

    @discardableResult
    mutating func issue(_ order: MediaOrder, _ purpose: Purpose) -> MediaTicket {
        nextTicket += 1
        let ticket = MediaTicket(rawValue: nextTicket)
        tickets[ticket] = (purpose, order)
        orders.append((ticket, order))
        return ticket
    }

    mutating func makeReady(_ id: ConnectionID) {
        guard members[id]?.isReady == false else { return }
        members[id]?.isReady = true
        ready.append(id)
    }

    // MARK: time

    /// Time of the next call of `handleTimeout`.
    package var deadline: MediaTime {
        min(offers.first?.due ?? .never, retries.deadline, timeLimits.first?.due ?? .never)
    }

    package mutating func handleTimeout(now: MediaTime) {
        for ticket in retries.takeDue(now) { retry(ticket) }
        expire(now)
        let due = offers.prefix { $0.due <= now }
        offers.removeFirst(due.count)
        for (_, id) in due {
            guard members[id]?.subscriber?.isOfferPlanned == true else { continue }
            members[id]?.subscriber?.isOfferPlanned = false
            members[id]?.isOfferDue = true
            makeReady(id)
        }
    }

    private mutating func retry(_ ticket: MediaTicket) {
        guard let (purpose, order) = tickets[ticket] else { return retries.end(ticket) }
        if case .openSubscriber(let id) = purpose, members[id] == nil {
            tickets[ticket] = nil
            retries.end(ticket)
        } else {
            orders.append((ticket, order))
        }
    }

    // MARK: members

    package mutating func join(_ id: ConnectionID) { members[id] = MediaMember() }

    /// Ends all media of a client. Its requests fail.
    package mutating func leave(_ id: ConnectionID) {
        if visitingSubscribers[id] != nil { return leaveVisitingSubscriber(id) }
        guard let member = members[id] else { return }
        for peer in member.peers { close(peer) }
        for ticket in [member.operation?.ticket, member.publishing?.ticket].compactMap(\.self) { abandon(ticket) }
        members[id] = nil
        if member.subscriber?.isOfferPlanned == true { offers.removeAll { $0.client == id } }
        let error = member.visitor == nil ? MediaRefusal.error(SignalingError(.notJoined)) : .ended
        switch member.operation?.goal {
        case .answer(let request, _), .restart(let request): outputs.append(.done(request, error))
        case .open, .subscribe, .update, .unsubscribe, nil: break
        }
        for request in member.requests { outputs.append(.done(request.id, error)) }
        if let publishing = member.publishing { finish(publishing, error) }
        for publishing in member.waitingToPublish { outputs.append(.published(publishing.id, .failure(error))) }
        leaveRelocations(id, error)
        leaveBarriers(id, error)
    }

    /// Ignores the answer to an order that no one waits for any more. A peer that it opens is still closed.
    mutating func abandon(_ ticket: MediaTicket) {
        guard tickets[ticket]?.purpose.opensPeer == false else { return }
        tickets[ticket] = nil
        retries.end(ticket)
    }

    /// Closes a peer of a client.
    mutating func close(_ peer: PeerID) {
        let isPlain = isPlain(peer)
        forget(peer)
        closeAtOnce(peer, isPlain: isPlain)
    }

    /// Closes a peer that no client waits for any more.
    mutating func discard(_ peer: PeerID, isPlain: Bool) {
        closeAtOnce(peer, isPlain: isPlain)
        outputs.append(.ended(peer))
    }

    /// Forgets a peer that the media plane does not have any more.
    mutating func forget(_ peer: PeerID) {
        relocations.waiting[peer] = nil
        guard let id = peers.removeValue(forKey: peer) else { return }
        if members[id]?.publisher?.id == peer { members[id]?.publisher = nil }
        if members[id]?.subscriber?.id == peer { members[id]?.subscriber = nil }
        if members[id]?.formerSubscriber == peer { members[id]?.formerSubscriber = nil }
        if visitingSubscribers[id]?.peer == peer { visitingSubscribers[id]?.peer = nil }
        outputs.append(.ended(peer))
    }

    /// Whether an answer may introduce a peer.
    var isOpeningPeers: Bool { tickets.values.contains { $0.purpose.opensPeer } }

    // MARK: answers of the media plane

    /// Handles the answer to an order. Further answers to the same order are ignored.
    package mutating func settle(_ ticket: MediaTicket, _ answer: Result<MediaAnswer, MediaFailure>, now: MediaTime) {
        guard let (purpose, _) = tickets[ticket] else { return }
        if case .failure(let failure) = answer, failure.kind == .busy,
            retries.schedule(ticket, atMost: purpose.maximumTries, now: now)
        {
            return
        }
        retries.end(ticket)
        tickets[ticket] = nil
        switch purpose {
        case .atOnce(let order): settleAtOnce(ticket, order, answer)
        case .relocate: relocated(now: now)
        case .subscriber(let id): settleSubscriber(of: id, answer, now: now)
        case .openSubscriber(let id): openedSubscriber(ticket, of: id, answer, now: now)
        case .updatePublisher(let id): updatedPublisher(of: id, answer, now: now)
        case .openPublisher(let id): openedPublisher(ticket, of: id, answer, now: now)
        case .openVisitor(let visitor): openedVisitor(ticket, visitor, answer)
        }
        if !goneEarly.isEmpty, !isOpeningPeers { goneEarly = [] }
    }

    /// Registers a peer that the media plane has opened for a client; closes it if the client has left.
    /// - Returns: whether the client is there.
    mutating func register(_ peer: PeerID, of id: ConnectionID) -> Bool {
        guard members[id] != nil else {
            discard(peer, isPlain: false)
            return false
        }
        peers[peer] = id
        return true
    }
}
