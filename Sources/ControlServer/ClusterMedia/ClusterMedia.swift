import Cluster
import Conference
import DequeModule
import MediaBase
import MediaEngine
import SDP
import SessionMedia
import Signaling

/// Media of one session over the relays of a cluster, as its home relay directs it. Orders of `SessionMedia` become calls to the engines of the
/// relays that have the peers, and pipes connect these engines.
///
/// - A mute is settled when all relays have it, and a move between subsessions when no relay forwards what it separates.
/// - A relay that does not answer a call in time is lost, with its peers.
///
/// Time comes in as an argument, and calls go out as values. Without a cluster each order is one call to `MediaRelay.home`.
struct ClusterMedia {
    enum Output {
        case call(MediaCallID, MediaRelay, MediaCall)
        case settled(MediaTicket, MediaOrder, Result<MediaAnswer, EngineError>)
        /// The relay was lost, and these peers ended with it.
        case lost(RelayIdentity, [PeerID])
        /// The session needs the relay no longer.
        case release(RelayIdentity)
        /// Media that a relay has of the session's previous home relay; the caller adopts it or closes it, and calls `continuePipes`.
        case inventory(MediaRelay, MediaInventory)
    }

    enum Purpose {
        case order(MediaTicket, MediaOrder)
        /// Part of the move with this number.
        case move(UInt64)
        case pipes(MediaPipes.Purpose)
        case inventory
        /// Negotiation of a subscriber, for the next home relay.
        case negotiated
        /// Close of something that the previous home relay had opened, by this call.
        case discard(MediaCall)
    }

    struct Call {
        let relay: MediaRelay
        let purpose: Purpose
    }

    /// Order that all relays carried out, and that is settled when the pipes have these versions.
    struct Fence {
        let ticket: MediaTicket
        let order: MediaOrder
        let result: Result<MediaAnswer, EngineError>
        var versions: [UInt64: UInt64]
    }

    /// Maximum time from a call to another relay to its answer. A relay notices earlier that it cannot be reached (`EdgeMedia.pingInterval`), so
    /// that what a lost relay should have stopped has ended there.
    static let callTime = MediaTime.seconds(8)
    /// Maximum time for which an order to publish waits for the end of mirrors, which may wait for the loss of a relay.
    static let holdTime = MediaTime.seconds(9)
    /// Maximum time for which the order to open a subscriber waits until its relay has the stream.
    static let presenceTime = MediaTime.seconds(4)
    /// Time after which a relay without media of the session is released.
    static let lingerTime = MediaTime.seconds(10)

    var outputs: [Output] = []
    private var lastID: UInt64 = 0
    private(set) var calls: [MediaCallID: Call] = [:]
    /// Calls to other relays, oldest first, with the times at which these relays are lost. Some are answered already.
    private var timed: Deque<(id: MediaCallID, deadline: MediaTime)> = []
    var peers = ClusterPeers()
    var held: [HeldOrder] = []
    var moves: [UInt64: ClusterMove] = [:]
    var fences: [Fence] = []
    var pipes = MediaPipes()
    var takeOver = MediaTakeOver()
    /// Relays of earlier versions, which keep no negotiations for the next home relay.
    private var withoutNegotiations: Set<RelayIdentity> = []
    /// Keeps negotiations at the home relay too: in tests one engine stands for those of all relays.
    var keepsOwnNegotiations = false
    /// Other relays that have, or lately had, media of the session, with the times at which they are released.
    var edges: [RelayIdentity: MediaTime] = [:]

    // MARK: queries

    /// Returns the relay that has a peer.
    func relay(of peer: PeerID) -> MediaRelay { peers.relay(of: peer) ?? .home }

    /// Returns the relay that a stream is published at.
    func origin(of stream: StreamID) -> MediaRelay { peers.origin(of: stream) ?? .home }

    /// Returns whether a relay may report about a peer: it has the peer, or no relay is known to have it.
    func mayReport(_ relay: MediaRelay, _ peer: PeerID) -> Bool {
        peers.relay(of: peer).map { $0 == relay } ?? true
    }

    /// Returns the peers of each relay that has media of the session, and of the home relay.
    func split(_ all: [PeerID]) -> [MediaRelay: [PeerID]] {
        var parts: [MediaRelay: [PeerID]] = [.home: []]
        for edge in edges.keys { parts[.edge(edge)] = [] }
        for peer in all { parts[relay(of: peer), default: []].append(peer) }
        return parts
    }

    /// Routes of the pipes.
    var routes: some Collection<MediaPipe.Route> { pipes.routes }

    /// Returns whether the answer to a call is awaited. It is not after the loss of the call's relay.
    func isPending(_ id: MediaCallID) -> Bool { calls[id] != nil }

    /// Time of the next `handleTimeout`; `never` if there is none.
    var deadline: MediaTime {
        guard !edges.isEmpty || !pipes.isEmpty || !takeOver.isOver else { return .never }
        return min(
            takeOver.deadline, pipes.deadline, timed.first?.deadline ?? .never,
            held.lazy.map(\.deadline).min() ?? .never,
            edges.values.min() ?? .never)
    }

    mutating func takeOutputs() -> [Output] {
        defer { outputs = [] }
        return outputs
    }

    /// Returns a number for a call that the caller makes itself.
    mutating func makeCallID() -> MediaCallID {
        lastID += 1
        return MediaCallID(rawValue: lastID)
    }

    // MARK: orders

    /// - Parameter relay: relay of the client whose peer the order opens.
    mutating func order(_ ticket: MediaTicket, _ order: MediaOrder, at relay: MediaRelay, now: MediaTime) {
        switch order {
        case .openPublisher: publish(ticket, order, at: relay, now: now)
        case .updatePublisher(let peer, _, _): publish(ticket, order, at: self.relay(of: peer), now: now)
        case .openSubscriber: send(ticket, order, to: relay, now: now)
        case .openVisitor(_, let visitor):
            if visitor.isPublisher {
                publish(ticket, order, at: relay, now: now)
            } else {
                view(ticket, order, visitor.wanted, at: relay, now: now)
            }
        case .setMuted(let stream, _, _), .closeStream(let stream):
            // The stream may have ended with its peer; the home relay may still mirror it.
            guard let relay = peers.origin(of: stream) ?? (edges.isEmpty ? .home : nil) else {
                settle(ticket, order, .failure(.unknownStream(stream.rawValue)))
                break
            }
            send(ticket, order, to: relay, now: now)
            if case .closeStream = order { peers.close(stream) }
        case .closePeer(let peer, _):
            send(ticket, order, to: self.relay(of: peer), now: now)
            peers.forget(peer)
            arrange(now: now)
        case .connect(let peer, _), .restart(let peer, _), .prepareRestart(let peer), .addTracks(let peer, _),
            .removeTracks(let peer, _), .setPreferences(let peer, _, _):
            send(ticket, order, to: self.relay(of: peer), now: now)
        case .relocate(let locations): move(ticket, order, locations, now: now)
        }
        carryOutPipes(now: now)
    }

    mutating func send(_ ticket: MediaTicket, _ order: MediaOrder, to relay: MediaRelay, now: MediaTime) {
        if order.opensPeer { peers.beginOpening() }
        call(relay, .order(order), .order(ticket, order), now: now)
    }

    mutating func call(_ relay: MediaRelay, _ call: MediaCall, _ purpose: Purpose, now: MediaTime) {
        let id = makeCallID()
        calls[id] = Call(relay: relay, purpose: purpose)
        if case .edge(let edge) = relay {
            timed.append((id, now + Self.callTime))
            edges[edge] = now + Self.lingerTime
        }
        outputs.append(.call(id, relay, call))
    }

    private mutating func settle(
        _ ticket: MediaTicket, _ order: MediaOrder, _ result: Result<MediaAnswer, EngineError>
    ) {
        outputs.append(.settled(ticket, order, result))
    }

    /// Gives the relay of a subscriber the state of its negotiation, for the next home relay.
    mutating func keep(_ negotiation: SavedNegotiation, of peer: PeerID, now: MediaTime) {
        let relay = relay(of: peer)
        if case .edge(let edge) = relay, withoutNegotiations.contains(edge) { return }
        guard relay != .home || keepsOwnNegotiations else { return }
        call(relay, .negotiated(peer, negotiation), .negotiated, now: now)
    }

    // MARK: answers

    /// Handles the answer of a relay to a call. Answers of lost relays, and to calls of other relays, are ignored.
    mutating func answered(_ id: MediaCallID, _ result: MediaCallResult, by relay: MediaRelay, now: MediaTime) {
        guard let call = calls[id], call.relay == relay else { return }
        calls[id] = nil
        while let first = timed.first, calls[first.id] == nil { timed.removeFirst() }
        switch call.purpose {
        case .order(let ticket, let order): answered(ticket, order, result, by: call.relay, now: now)
        case .move(let number): moved(number, result, now: now)
        case .pipes(let purpose): pipes.answered(purpose, result.map { known($0, from: relay) }, now: now)
        case .inventory: inventoryAnswered(result, by: relay)
        case .negotiated:
            if case .failure(.invalidRequest) = result, case .edge(let edge) = relay {
                withoutNegotiations.insert(edge)
            }
        case .discard(let close):
            if case .failure(.limitReached) = result { takeOver.retry(close, at: relay, now: now) }
        }
        carryOutPipes(now: now)
    }

    /// Removes streams from a description that the relay does not publish as far as the session knows.
    private func known(_ answer: MediaCallAnswer, from relay: MediaRelay) -> MediaCallAnswer {
        guard case .description(let description) = answer else { return answer }
        let streams = description.streams.filter { peers.origin(of: StreamID(rawValue: $0.name)) == relay }
        return .description(PipeDescription(streams: streams))
    }

    private mutating func answered(
        _ ticket: MediaTicket, _ order: MediaOrder, _ result: MediaCallResult,
        by relay: MediaRelay, now: MediaTime
    ) {
        defer {
            if order.opensPeer { peers.endOpening() }
            endExpecting(order, at: relay, now: now)
        }
        switch result {
        // The stream has ended there, or its pipe has.
        case .failure(.unknownStream) where order.opensVisitingSubscriber && relay != .home,
            .failure(.unknownSession) where order.opensVisitingSubscriber && relay != .home:
            send(ticket, order, to: .home, now: now)
        case .failure(let error): settle(ticket, order, .failure(error))
        case .success(.media(let answer)) where answer.fits(order) && admit(answer, to: order, by: relay, now: now):
            let result = Result<MediaAnswer, EngineError>.success(answer)
            guard case .setMuted(let stream, _, true) = order else { return settle(ticket, order, result) }
            let versions = pipes.changed(stream.rawValue, at: relay, now: now)
            fences.append(Fence(ticket: ticket, order: order, result: result, versions: versions))
        case .success:
            settle(ticket, order, .failure(.invalidRequest(field: "answer", reason: "is not one to the order")))
            if case .edge(let edge) = relay { lose(edge, now: now) }
        }
    }

    /// Notes the peer that an answer introduces.
    /// - Returns: false if it cannot be a peer of that relay.
    private mutating func admit(
        _ answer: MediaAnswer, to order: MediaOrder, by relay: MediaRelay, now: MediaTime
    ) -> Bool {
        guard let id = answer.peer else { return true }
        guard peers.admit(id, by: order, at: relay) else { return false }
        arrange(now: now)
        // Descriptions so far were read without its streams.
        if !order.publishedStreams.isEmpty { pipes.changed(at: relay, now: now) }
        return true
    }

    // MARK: events

    /// Handles the end of a peer that its relay reports.
    mutating func gone(_ peer: PeerID, now: MediaTime) {
        peers.noteGone(peer)
        ended(peer, now: now)
    }

    /// Forgets a peer that the session has no more.
    mutating func ended(_ peer: PeerID, now: MediaTime) {
        peers.forget(peer)
        arrange(now: now)
        carryOutPipes(now: now)
    }

    /// Notes that the streams of a relay have changed.
    mutating func streamsChanged(at relay: MediaRelay, now: MediaTime) {
        pipes.changed(at: relay, now: now)
        carryOutPipes(now: now)
    }

    /// Handles the loss of a relay.
    mutating func lost(_ edge: RelayIdentity, now: MediaTime) {
        takeOver.linkBroke(to: edge, now: now)
        lose(edge, now: now)
        carryOutPipes(now: now)
    }

    private mutating func lose(_ edge: RelayIdentity, now: MediaTime) {
        guard edges.removeValue(forKey: edge) != nil else { return }
        withoutNegotiations.remove(edge)
        let relay = MediaRelay.edge(edge)
        let ended = peers.lost(relay)
        pipes.lost(relay)
        let ready = held.filter { $0.relay == relay }
        held.removeAll { $0.relay == relay }
        for order in ready {
            guard order.order.opensVisitingSubscriber else {
                settle(order.ticket, order.order, .failure(.stopped))
                continue
            }
            peers.endExpecting(at: relay)
            send(order.ticket, order.order, to: .home, now: now)
        }
        for number in moves.keys.sorted() { moves[number]?.waiting[relay] = nil }
        let unanswered = calls.filter { $0.value.relay == relay }.sorted { $0.key.rawValue < $1.key.rawValue }
        for (id, call) in unanswered {
            calls[id] = nil
            switch call.purpose {
            case .order(let ticket, let order):
                if order.opensPeer { peers.endOpening() }
                if order.opensVisitingSubscriber { peers.endExpecting(at: relay) }
                // What the order stops has ended with the relay.
                settle(ticket, order, order.stopsMedia ? .success(.done) : .failure(.stopped))
            case .move(let number): moved(number, .success(.done), now: now)
            case .pipes, .negotiated, .discard: break
            case .inventory: takeOver.missed(edge)
            }
        }
        takeOver.lost(relay)
        outputs.append(.lost(edge, ended))
        arrange(now: now)
    }

    mutating func handleTimeout(now: MediaTime) {
        while let first = timed.first, first.deadline <= now || calls[first.id] == nil {
            timed.removeFirst()
            if case .edge(let edge)? = calls[first.id]?.relay { lose(edge, now: now) }
        }
        for (edge, end) in edges where end <= now {
            if isUsed(edge) {
                edges[edge] = now + Self.lingerTime
            } else {
                edges[edge] = nil
                outputs.append(.release(edge))
            }
        }
        takeOver.handleTimeout(now: now)
        for (relay, close) in takeOver.takeRetries(now: now) { discard(close, at: relay, now: now) }
        pipes.handleTimeout(now: now)
        carryOutPipes(now: now)
    }

    private func isUsed(_ edge: RelayIdentity) -> Bool {
        let relay = MediaRelay.edge(edge)
        return peers.isUsed(relay) || pipes.has(relay)
            || calls.values.contains { $0.relay == relay } || held.contains { $0.relay == relay }
    }

    // MARK: pipes

    /// Makes the pipes those that the present peers need.
    mutating func arrange(now: MediaTime) {
        guard !edges.isEmpty || !pipes.isEmpty else { return }
        pipes.want(peers.routes, now: now)
    }

    /// Carries out what the pipes and all that waits for them allow, until nothing is left.
    mutating func carryOutPipes(now: MediaTime) {
        while true {
            continueTakeOver(now: now)
            continueMoves(now: now)
            for call in pipes.takeCalls() { self.call(call.relay, call.call, .pipes(call.purpose), now: now) }
            takeOver.pipes = takeOver.pipes.filter { !pipes.has(1, $0) }
            settleFences()
            let ready = held.compactMap { order in destination(of: order, now: now).map { (order, $0) } }
            guard !ready.isEmpty else { break }
            held.removeAll { order in ready.contains { $0.0.ticket == order.ticket } }
            for (order, relay) in ready {
                send(order.ticket, order.order, to: relay, now: now)
                if relay != order.relay { endExpecting(order.order, at: order.relay, now: now) }
            }
        }
    }

    private mutating func settleFences() {
        for index in fences.indices {
            fences[index].versions = fences[index].versions.filter { id, version in !pipes.has(version, id) }
        }
        let done = fences.filter(\.versions.isEmpty)
        fences.removeAll(where: \.versions.isEmpty)
        for fence in done { settle(fence.ticket, fence.order, fence.result) }
    }
}
