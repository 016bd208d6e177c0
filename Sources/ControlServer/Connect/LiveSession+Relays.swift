import Cluster
import Logging
import MediaBase
import MediaEngine
import SessionMedia

/// Calls to the media engines of this relay and of the relays that the session's clients are connected to.
extension LiveSession {
    /// Time after the loss of a link in which media of the other relay's clients opens here.
    private static let avoidTime = MediaTime.seconds(30)

    /// Returns the relay at which the peer of an order opens: that of its client, unless the link to it was lost.
    func relay(for order: MediaOrder) -> MediaRelay {
        switch order {
        case .openPublisher(let id, _, _), .openSubscriber(let id, _):
            guard let edge = clients[id]?.relay, environment.caller != nil,
                lostEdges[edge].map({ ControlClock.now - $0 > Self.avoidTime }) ?? true,
                let relay = environment.cluster?.relay(edge), relay.linkVersion >= ClusterEdge.mediaVersion
            else { return .home }
            return .edge(edge)
        default: return .home
        }
    }

    /// Carries out what `ClusterMedia` has decided.
    func carryOutCalls() {
        while true {
            let outputs = clusterMedia.takeOutputs()
            guard !outputs.isEmpty else { return }
            for output in outputs {
                switch output {
                case .call(let id, .home, let call): callHome(id, call)
                case .call(let id, .edge(let edge), let call): send(id, call, to: edge)
                case .settled(let ticket, let order, let result): settle(ticket, order, result)
                case .lost(let edge, let peers):
                    if links[edge] != nil { noteLoss(of: edge, "it gave no answer in time, or a wrong one") }
                    endLink(to: edge)
                    for peer in peers { media.gone(peer) }
                case .release(let edge): endLink(to: edge)
                }
            }
        }
    }

    // MARK: this relay

    private func callHome(_ id: MediaCallID, _ call: MediaCall) {
        if let begun = environment.engine.begin(call, session: engineName) {
            run(id) { () async throws(EngineError) in
                try await begun.finish()
                return .media(.done)
            }
        } else if case .order(.openVisitor(let request, _)) = call {
            run(id) { [visit = visits[request]] () async throws(EngineError) in
                guard let visit else { throw .unknownTransport("") }
                return .media(try await visit.open())
            }
        } else {
            run(id) { [engine = environment.engine, engineName] () async throws(EngineError) in
                try await engine.carryOut(call, session: engineName)
            }
        }
    }

    private func run(
        _ id: MediaCallID, _ call: @escaping @Sendable () async throws(EngineError) -> MediaCallAnswer
    ) {
        Task {
            do throws(EngineError) {
                answered(id, .success(try await call()), by: .home)
            } catch {
                answered(id, .failure(error), by: .home)
            }
        }
    }

    private func answered(_ id: MediaCallID, _ result: MediaCallResult, by relay: MediaRelay) {
        if let call = asked[id] {
            guard relay == .edge(call.relay) else { return }
            return answer(id, result)
        }
        clusterMedia.answered(id, result, by: relay, now: ControlClock.now)
        carryOutCalls()
        continueMedia()
    }

    // MARK: other relays

    private func send(_ id: MediaCallID, _ call: MediaCall, to edge: RelayIdentity) {
        // The relay may have been lost since the call was made.
        guard clusterMedia.isPending(id) else { return }
        guard let link = links[edge] ?? openLink(to: edge), link.send(id, call) else {
            return lost(edge, "calls cannot be sent")
        }
    }

    private func openLink(to edge: RelayIdentity) -> MediaLink? {
        guard let link = makeLink(to: edge) else { return nil }
        links[edge] = link
        logger.info("media link opened", metadata: ["relay": "\(edge)"])
        return link
    }

    private func makeLink(to edge: RelayIdentity) -> MediaLink? {
        // A session that is over, or that another relay may run, opens no media at other relays.
        guard !conference.isEnded, !isForgotten, !isAbandoned, let caller = environment.caller,
            let cluster = environment.cluster, let relay = cluster.relay(edge), let tenure = cluster.tenure(of: id)
        else { return nil }
        let subject = MediaLink.Subject(key: key, session: id, home: tenure.home, term: tenure.term)
        return MediaLink(subject, to: relay, by: caller) { [weak self] reply in
            await self?.received(reply, from: edge)
        } lost: { [weak self] reason in
            await self?.linkLost(edge, reason)
        }
    }

    private func received(_ reply: MediaLinkReply, from edge: RelayIdentity) {
        guard links[edge] != nil else { return }
        switch reply {
        case .answered(let id, let answer): answered(id, .success(answer), by: .edge(edge))
        case .failed(let id, let error): answered(id, .failure(error), by: .edge(edge))
        case .event(let event): heard(event, from: .edge(edge))
        }
    }

    private func linkLost(_ edge: RelayIdentity, _ reason: String) {
        guard links[edge] != nil else { return }
        lost(edge, reason)
        carryOutCalls()
        continueMedia()
    }

    private func lost(_ edge: RelayIdentity, _ reason: String) {
        noteLoss(of: edge, reason)
        endLink(to: edge)
        clusterMedia.lost(edge, now: ControlClock.now)
        // The other relay may take this one for dead and keep the media. A link that is closed in order ends it.
        makeLink(to: edge)?.close()
    }

    private func noteLoss(of edge: RelayIdentity, _ reason: String) {
        lostEdges = lostEdges.filter { ControlClock.now - $0.value <= Self.avoidTime }
        lostEdges[edge] = ControlClock.now
        environment.statistics.mediaLinkLost()
        logger.notice("media link lost", metadata: ["relay": "\(edge)", "reason": "\(reason)"])
    }

    private func endLink(to edge: RelayIdentity) {
        links.removeValue(forKey: edge)?.close()
        for (id, call) in asked where call.relay == edge { answer(id, .failure(.stopped)) }
    }

    /// Ends the media of the session at all other relays.
    func closeLinks() {
        for edge in Array(links.keys) {
            endLink(to: edge)
            clusterMedia.lost(edge, now: ControlClock.now)
        }
        carryOutCalls()
    }

    var mediaGauges: ClusterMediaGauges {
        ClusterMediaGauges(links: links.count, routes: clusterMedia.routes)
    }

    // MARK: questions

    /// Asks the engine of a relay about the session's media.
    func ask(_ call: MediaCall, at relay: MediaRelay) async throws(EngineError) -> MediaCallAnswer {
        guard case .edge(let edge) = relay else {
            return try await environment.engine.carryOut(call, session: engineName)
        }
        let id = clusterMedia.makeCallID()
        let result = await withCheckedContinuation { (continuation: CheckedContinuation<MediaCallResult, Never>) in
            guard let link = links[edge], link.send(id, call) else {
                return continuation.resume(returning: .failure(.stopped))
            }
            asked[id] = (edge, continuation)
            Task {
                try? await Task.sleep(for: .nanoseconds(ClusterMedia.callTime.rawValue))
                answer(id, .failure(.stopped))
            }
        }
        return try result.get()
    }

    /// Answers a question, if it is still open.
    private func answer(_ id: MediaCallID, _ result: MediaCallResult) {
        asked.removeValue(forKey: id)?.answer.resume(returning: result)
    }

    /// Asks the relay of a peer about it.
    func ask(of peer: PeerID, _ call: MediaCall) async throws(EngineError) -> MediaCallAnswer {
        try await ask(call, at: clusterMedia.relay(of: peer))
    }
}
