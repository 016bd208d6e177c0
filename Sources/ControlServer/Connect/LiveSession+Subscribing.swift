import Conference
import Logging
import MediaBase
import MediaEngine
import SDP
import Signaling

/// Offers of the relay to its clients. All functions here run in order with other calls to the engine.
extension LiveSession {
    /// Adds a stream to the next offer.
    func subscribe(_ client: LiveConnection, _ stream: StreamID, _ preferences: SubscriptionPreferences) async {
        do {
            let id = try await openSubscriber(of: client)
            try client.subscriber?.negotiation.subscribe(
                stream.rawValue, kinds: kinds[stream] ?? [], now: ControlClock.now)
            try await environment.engine.setPreferences(
                id, session: engineName, stream: stream.rawValue, StreamPreferences(preferences))
            planOffer(of: client)
        } catch EngineError.unknownTransport {
            forgetSubscriber(of: client)
        } catch {
            logger.notice("subscription failed", metadata: ["connection": "\(client.id)", "error": "\(error)"])
            report(.subscriptionFailed(client.id, stream))
        }
    }

    private func openSubscriber(of client: LiveConnection) async throws(EngineError) -> TransportID {
        if let subscriber = client.subscriber { return subscriber.id }
        let transport = client.subscribeTransport
        let lease = try leaseTransport(of: client)
        let offer = try await environment.engine.openSubscriber(
            session: engineName, isNative: transport == .native)
        guard clients[client.id] === client else {
            // The client left while the engine was awaited.
            try? await environment.engine.closeWebRTC(offer.id, session: engineName)
            throw .unknownTransport(offer.id.rawValue)
        }
        client.subscriber = SubscribePeer(
            offer, transport: transport, limit: environment.configuration.conference.subscriptions)
        transports.insert(offer.id, owner: client.id, lease: lease)
        logger.info("subscriber opened", metadata: ["connection": "\(client.id)", "transport": "\(offer.id)"])
        await place(offer.id, of: client)
        return offer.id
    }

    /// Sets the transport that a client chooses with its first subscription.
    func choose(_ transport: MediaTransport, for client: LiveConnection, _ socket: ClientSocket) -> SignalingError? {
        if let subscriber = client.subscriber {
            return subscriber.transport == transport
                ? nil
                : SignalingError(
                    .invalidField, "the peer connection exists already, with \(subscriber.transport.rawValue)",
                    field: "transport")
        }
        switch transport {
        case .native: guard socket.isConfidential else { return ClientSocket.readable }
        case .webRTC: break
        default: return SignalingError(.invalidField, "\(transport.rawValue) is not known", field: "transport")
        }
        client.subscribeTransport = transport
        return nil
    }

    func updateSubscription(
        _ client: LiveConnection, _ stream: StreamID, _ preferences: SubscriptionPreferences
    ) async {
        guard let id = client.subscriber?.id else { return }
        let gone = follow(stream, of: client)
        do throws(EngineError) {
            if !gone.isEmpty { try await environment.engine.removeTracks(id, session: engineName, mids: gone) }
            try await environment.engine.setPreferences(
                id, session: engineName, stream: stream.rawValue, StreamPreferences(preferences))
        } catch {
            lost(error, of: client)
        }
    }

    /// Updates the kinds of a stream, which may have changed since its offer, for the next offer.
    /// - Returns: sections that no longer carry a track.
    private func follow(_ stream: StreamID, of client: LiveConnection) -> [MID] {
        guard let kinds = kinds[stream],
            let gone = try? client.subscriber?.negotiation.setKinds(
                kinds, of: stream.rawValue, now: ControlClock.now)
        else { return [] }
        client.subscriber?.refused[stream]?.formIntersection(kinds)
        planOffer(of: client)
        return gone
    }

    func unsubscribe(_ client: LiveConnection, _ stream: StreamID) async {
        client.subscriber?.connected.remove(stream)
        client.subscriber?.refused[stream] = nil
        guard let id = client.subscriber?.id,
            let mids = try? client.subscriber?.negotiation.unsubscribe(stream.rawValue, now: ControlClock.now)
        else { return }
        planOffer(of: client)
        guard !mids.isEmpty else { return }
        do throws(EngineError) {
            try await environment.engine.removeTracks(id, session: engineName, mids: mids)
        } catch {
            lost(error, of: client)
        }
    }

    // MARK: offers

    /// Schedules the next offer for its due time.
    func planOffer(of client: LiveConnection) {
        guard let subscriber = client.subscriber, !subscriber.isOfferPlanned else { return }
        let due = subscriber.negotiation.deadline
        guard due != .never else { return }
        client.subscriber?.isOfferPlanned = true
        let wait = Duration.nanoseconds(max(due.rawValue - ControlClock.now.rawValue, 0))
        Task { [weak self, id = client.id] in
            try? await Task.sleep(for: wait)
            await self?.makeOffer(to: id)
        }
    }

    private func makeOffer(to id: ConnectionID) async {
        await inOrder {
            guard let client = clients[id] else { return }
            client.subscriber?.isOfferPlanned = false
            guard let offer = client.subscriber?.negotiation.takeOffer(now: ControlClock.now) else {
                return planOffer(of: client)
            }
            tell(id, .offer(OfferMade(offer)))
        }
    }

    /// Handles a client's answer to the relay's offer.
    func answer(_ request: AnswerRequest, of client: LiveConnection) async -> Result<Done, SignalingError> {
        await inOrder {
            do {
                try await settle(request, client)
                return .success(Done())
            } catch let error as SubscribeNegotiationError {
                client.isHeld = true
                if error == .transportChanged { replaceSubscriber(of: client) }
                return .failure(SignalingError(error))
            } catch let error as EngineError {
                lost(error, of: client)
                return .failure(SignalingError(Problem(error)))
            } catch {
                return .failure(SignalingError(.internalError))
            }
        }
    }

    private func settle(_ request: AnswerRequest, _ client: LiveConnection) async throws {
        guard request.sdp.utf8.count <= SignalingProtocol.maximumSDPBytes else {
            throw SubscribeNegotiationError.answer(.tooLong(bytes: request.sdp.utf8.count))
        }
        guard let id = client.subscriber?.id,
            let agreement = try client.subscriber?.negotiation.accept(
                request.sdp, revision: request.revision, now: ControlClock.now)
        else { throw SubscribeNegotiationError.staleOffer(revision: request.revision) }
        let engine = environment.engine
        if let peer = agreement.connects { try await engine.connectSubscriber(id, session: engineName, peer: peer) }
        if let peer = agreement.restarts { _ = try await engine.restartICE(id, session: engineName, peer: peer) }
        if !agreement.removed.isEmpty {
            try await engine.removeTracks(id, session: engineName, mids: agreement.removed)
        }
        if !agreement.added.isEmpty { try await engine.addTracks(id, session: engineName, agreement.added) }
        // The answer to this request precedes the events that it causes.
        client.isHeld = true
        for track in agreement.added { connected(client, StreamID(rawValue: track.stream)) }
        for refusal in agreement.refused { refused(client, StreamID(rawValue: refusal.stream), refusal.kind) }
        planOffer(of: client)
    }

    private func connected(_ client: LiveConnection, _ stream: StreamID) {
        guard client.subscriber?.connected.insert(stream).inserted == true else { return }
        report(.subscribed(client.id, stream))
    }

    /// Records a refusal. A client that refuses all tracks of a stream is not subscribed to it.
    private func refused(_ client: LiveConnection, _ stream: StreamID, _ kind: MediaKind) {
        client.subscriber?.refused[stream, default: []].insert(kind)
        guard let all = kinds[stream], client.subscriber?.refused[stream]?.isSuperset(of: all) == true else { return }
        report(.subscriptionFailed(client.id, stream))
    }

    /// Restarts ICE after the client has lost its path; the next offer has new credentials (RFC 8445 section 9).
    func restartSubscriber(of client: LiveConnection) async -> Result<Done, SignalingError> {
        await inOrder {
            guard let id = client.subscriber?.id else { return .success(Done()) }
            do throws(EngineError) {
                let credentials = try await environment.engine.prepareRestart(id, session: engineName)
                client.subscriber?.negotiation.restart(credentials, now: ControlClock.now)
                planOffer(of: client)
                return .success(Done())
            } catch {
                lost(error, of: client)
                return .success(Done())
            }
        }
    }

    // MARK: the end

    /// Handles an error of the engine. If the engine no longer has the transport, the peer connection is forgotten.
    private func lost(_ error: EngineError, of client: LiveConnection) {
        switch error {
        case .unknownTransport, .unknownSession: forgetSubscriber(of: client)
        default:
            logger.notice("media engine refused a call", metadata: ["connection": "\(client.id)", "error": "\(error)"])
        }
    }

    /// Forgets a peer connection that no longer exists at the relay, and tells the client to start a new one.
    func forgetSubscriber(of client: LiveConnection) {
        guard let subscriber = client.subscriber else { return }
        client.subscriber = nil
        transports.remove(subscriber.id)
        report(.reset(client.id, publish: false, subscribe: true))
    }

    /// Closes the peer connection after the client has started a new one, which gets new offers from the start.
    private func replaceSubscriber(of client: LiveConnection) {
        guard let id = client.subscriber?.id else { return }
        forgetSubscriber(of: client)
        watch([
            MediaCall(
                command: .closeMedia(client.id),
                call: environment.engine.beginCloseWebRTC(id, session: engineName))
        ])
    }

    func closeSubscriber(of client: LiveConnection) -> EngineCall? {
        guard let subscriber = client.subscriber else { return nil }
        client.subscriber = nil
        transports.remove(subscriber.id)
        return environment.engine.beginCloseWebRTC(subscriber.id, session: engineName)
    }
}
