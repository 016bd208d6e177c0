import Cluster
import Logging
import MediaBase
import MediaEngine
import SessionMedia

/// Calls to the media engines of this relay and of the relays that the session's clients are connected to.
extension LiveSession {
    /// Returns the relay at which the peer of an order opens: that of its client, unless the link to it was lost.
    func relay(for order: MediaOrder) -> MediaRelay {
        switch order {
        case .openPublisher(let id, _, _), .openSubscriber(let id, _):
            guard let edge = clients[id]?.relay, links.mayUse(edge) else { return .home }
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
                    if links.has(edge) { links.lose(edge, "it gave no answer in time, or a wrong one") }
                    for peer in peers { media.gone(peer) }
                case .release(let edge): links.end(edge)
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
        clusterMedia.answered(id, result, by: relay, now: ControlClock.now)
        carryOutCalls()
        continueMedia()
    }

    // MARK: other relays

    private func send(_ id: MediaCallID, _ call: MediaCall, to edge: RelayIdentity) {
        // The relay may have been lost since the call was made.
        guard clusterMedia.isPending(id) else { return }
        guard links.send(id, call, to: edge, mayOpen: mayOpenLinks) else { return lost(edge, "calls cannot be sent") }
    }

    /// Whether media may open at other relays: the session is not over, and no other relay may run it.
    private var mayOpenLinks: Bool { !conference.isEnded && !isForgotten && !isAbandoned }

    func received(_ reply: MediaLinkReply, from edge: RelayIdentity) {
        guard links.has(edge) else { return }
        switch reply {
        case .answered(let id, let answer): answered(id, .success(answer), by: edge)
        case .failed(let id, let error): answered(id, .failure(error), by: edge)
        case .event(let event): heard(event, from: .edge(edge))
        }
    }

    private func answered(_ id: MediaCallID, _ result: MediaCallResult, by edge: RelayIdentity) {
        if !links.answered(id, result, by: edge) { answered(id, result, by: .edge(edge)) }
    }

    func linkLost(_ edge: RelayIdentity, _ reason: String) {
        guard links.has(edge) else { return }
        lost(edge, reason)
        carryOutCalls()
        continueMedia()
    }

    private func lost(_ edge: RelayIdentity, _ reason: String) {
        links.lose(edge, reason)
        clusterMedia.lost(edge, now: ControlClock.now)
        if mayOpenLinks { links.dismiss(edge) }
    }

    /// Ends the media of the session at all other relays.
    func closeLinks() {
        for edge in links.edges {
            links.end(edge)
            clusterMedia.lost(edge, now: ControlClock.now)
        }
        carryOutCalls()
    }

    var mediaGauges: ClusterMediaGauges {
        ClusterMediaGauges(links: links.edges.count, routes: clusterMedia.routes)
    }

    // MARK: questions

    /// Asks the engine of a relay about the session's media.
    func ask(_ call: MediaCall, at relay: MediaRelay) async throws(EngineError) -> MediaCallAnswer {
        guard case .edge(let edge) = relay else {
            return try await environment.engine.carryOut(call, session: engineName)
        }
        let id = clusterMedia.makeCallID()
        let result = await withCheckedContinuation { (continuation: CheckedContinuation<MediaCallResult, Never>) in
            guard links.ask(id, call, of: edge, continuation) else { return }
            Task {
                try? await Task.sleep(for: .nanoseconds(ClusterMedia.callTime.rawValue))
                links.answer(id, .failure(.stopped))
            }
        }
        return try result.get()
    }

    /// Asks the relay of a peer about it.
    func ask(of peer: PeerID, _ call: MediaCall) async throws(EngineError) -> MediaCallAnswer {
        try await ask(call, at: clusterMedia.relay(of: peer))
    }
}
