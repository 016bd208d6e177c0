import Cluster
import Logging
import MediaBase
import MediaEngine
import SessionMedia

/// Calls to the media engines of this relay and of the relays that the session's clients are connected to.
extension SessionCore {
    /// Returns the relay at which the peer of an order opens: that of its client, unless the link to it was lost.
    func relay(for order: MediaOrder) -> MediaRelay {
        let edge: RelayIdentity? =
            switch order {
            case .openPublisher(let id, _, _), .openSubscriber(let id, _): clients[id]?.relay
            case .openVisitor(let request, _):
                visits[request].flatMap { $0.offer == nil ? nil : $0.visitor.relay }
            default: nil
            }
        guard let edge, let cluster = context.cluster, cluster.mayLink(edge), !edges.avoids(edge, now: time.now)
        else { return .home }
        return .edge(edge)
    }

    /// Carries out what `ClusterMedia` has decided.
    func carryOutCalls() {
        while true {
            let outputs = clusterMedia.takeOutputs()
            guard !outputs.isEmpty else { return }
            for output in outputs {
                switch output {
                case .call(let id, let relay, let call): send(id, call, to: relay)
                case .settled(let ticket, let order, let result): settle(ticket, order, result)
                case .lost(let edge, let peers):
                    if edges.contains(edge) { lose(edge, "it gave no answer in time, or a wrong one") }
                    for peer in peers { media.gone(peer) }
                case .release(let edge): endLink(to: edge)
                case .inventory(let relay, let inventory): adopt(inventory, at: relay)
                }
            }
        }
    }

    private func send(_ id: MediaCallID, _ call: MediaCall, to relay: MediaRelay) {
        var call = call
        if case .edge(let edge) = relay {
            // The relay may have been lost since the call was made.
            guard clusterMedia.isPending(id) else { return }
            guard edges.contains(edge) || mayOpenLinks else { return lost(edge, "calls cannot be sent") }
            if case .order(.openVisitor(let request, let visitor)) = call {
                guard let offer = visits[request]?.offer else {
                    // The admission has failed in the meantime.
                    let failure = MediaCallResult.failure(.unknownTransport(""))
                    return clusterMedia.answered(id, failure, by: relay, now: time.now)
                }
                call = offer.call(visitor.startsMuted)
            }
            edges.add(edge)
            noteSpread()
        }
        emit(.call(id, relay, call))
    }

    /// Handles the result of a call.
    func answered(_ id: MediaCallID, _ result: MediaCallResult, by relay: MediaRelay) {
        if questions.contains(id) {
            questions.take(id, answeredBy: relay)?(result)
        } else {
            clusterMedia.answered(id, result.map { opened($0, by: id, at: relay) }, by: relay, now: time.now)
            carryOutCalls()
        }
        continueMedia()
        endTakeOverIfDone()
    }

    /// Passes the answer of another relay to a client's request on to its endpoint.
    /// - Returns: the answer to the order of the call.
    private func opened(_ answer: MediaCallAnswer, by id: MediaCallID, at relay: MediaRelay) -> MediaCallAnswer {
        guard let transport = answer.opened, let request = clusterMedia.admission(id, at: relay) else { return answer }
        guard let offer = visits[request]?.offer else {
            // The admission has failed in the meantime, so the transport is closed.
            return .media(.visitor(PeerID(transport), videoCodec: nil, kinds: nil))
        }
        return offer.take(answer).map { .media($0) } ?? answer
    }

    /// Notes for the next home relay that other relays have media of the session.
    private func noteSpread() {
        guard !conference.isSpread else { return }
        conference.isSpread = true
        noteState()
    }

    // MARK: links

    /// Whether media may open at other relays: the session is not over, and no other relay may run it.
    private var mayOpenLinks: Bool { !conference.isEnded && !isForgotten && !isAbandoned }

    /// Handles a message of a relay.
    func received(_ reply: MediaLinkReply, from edge: RelayIdentity) {
        guard edges.contains(edge) else { return }
        switch reply {
        case .answered(let id, let answer): answered(id, .success(answer), by: .edge(edge))
        case .failed(let id, let error): answered(id, .failure(error), by: .edge(edge))
        case .event(let event): heard(event, from: .edge(edge))
        }
    }

    /// Handles the loss of the link to a relay.
    func linkLost(_ edge: RelayIdentity, _ reason: String) {
        guard edges.contains(edge) else { return }
        lost(edge, reason)
        carryOutCalls()
        continueMedia()
        endTakeOverIfDone()
    }

    private func lost(_ edge: RelayIdentity, _ reason: String) {
        lose(edge, reason)
        clusterMedia.lost(edge, now: time.now)
        if mayOpenLinks { emit(.dismiss(edge)) }
    }

    /// Ends a link that is broken, or whose relay does not answer, and avoids the relay for some time.
    private func lose(_ edge: RelayIdentity, _ reason: String) {
        edges.lose(edge, now: time.now)
        context.statistics.mediaLinkLost()
        logger.notice("media link lost", metadata: ["relay": "\(edge)", "reason": "\(reason)"])
        endLink(to: edge)
    }

    private func endLink(to edge: RelayIdentity) {
        edges.end(edge)
        emit(.endLink(edge))
        for fail in questions.takeAll(to: .edge(edge)) { fail(.failure(.stopped)) }
    }

    /// Ends the media of the session at all other relays.
    func closeLinks() {
        for edge in edges.linked {
            endLink(to: edge)
            clusterMedia.lost(edge, now: time.now)
        }
        carryOutCalls()
    }

    var mediaGauges: ClusterMediaGauges { ClusterMediaGauges(links: edges.linked.count, routes: clusterMedia.routes) }

    // MARK: questions

    /// Asks the engine of a relay about the session's media.
    func ask(_ call: MediaCall, at relay: MediaRelay, then: @escaping MediaQuestions.Then) {
        if case .edge(let edge) = relay, !edges.contains(edge) { return then(.failure(.stopped)) }
        let id = clusterMedia.makeCallID()
        questions.add(id, to: relay, now: time.now, then)
        emit(.call(id, relay, call))
    }

    /// Asks another relay about a peer.
    ///
    /// - Parameter then: gets nil if this relay has the peer, or no relay is known to have it.
    func askElsewhere(of peer: PeerID, _ call: MediaCall, then: @escaping (MediaCallResult?) -> Void) {
        let relay = clusterMedia.relay(of: peer)
        guard relay != .home else { return then(nil) }
        ask(call, at: relay) { result in
            // The peers of a link end with it, and the end of the last one may end the session before the answer.
            if case .order(.closePeer) = call, case .failure(.stopped) = result { return then(.success(.done)) }
            then(result)
        }
    }

    /// Asks all other relays with media of the session for the number of subscribers of each stream, and adds them up. A relay that does not
    /// answer counts none.
    func subscribersElsewhere(then: @escaping ([String: Int]) -> Void) {
        var waiting = edges.linked.count
        var sum: [String: Int] = [:]
        guard waiting > 0 else { return then([:]) }
        for edge in edges.linked {
            ask(.subscriberCounts, at: .edge(edge)) { result in
                if case .success(.subscriberCounts(let counts)) = result {
                    sum.merge(counts) { $0.addingReportingOverflow($1).partialValue }
                }
                waiting -= 1
                if waiting == 0 { then(sum) }
            }
        }
    }

    /// Asks the relay of a peer about it.
    func ask(of peer: PeerID, _ call: MediaCall, then: @escaping MediaQuestions.Then) {
        ask(call, at: clusterMedia.relay(of: peer), then: then)
    }
}
