import Conference
import MediaBase
import SDP
package import Signaling

/// Subscribe peer connections: the calls about one of them follow each other, each after the answer to the one before.
extension SessionMedia {
    // MARK: requests

    /// Returns the kind of peer connection that the client has or has chosen, and whether it exists or is being opened.
    package func subscribeTransport(of id: ConnectionID) -> (transport: MediaTransport, isOpen: Bool) {
        guard let member = members[id] else { return (.webRTC, false) }
        if case .open? = member.operation?.goal { return (member.subscribeTransport, true) }
        return member.subscriber.map { ($0.transport, true) } ?? (member.subscribeTransport, false)
    }

    /// Sets the kind of the next subscribe peer connection.
    package mutating func choose(_ transport: MediaTransport, for id: ConnectionID) {
        members[id]?.subscribeTransport = transport
    }

    /// Returns whether another stream may get a queued change.
    package func maySubscribe(_ id: ConnectionID, _ stream: StreamID, limit: Int) -> Bool {
        guard let orders = members[id]?.orders else { return true }
        return orders.count < limit || orders.has(stream)
    }

    /// Takes a client's answer to the relay's offer.
    package mutating func answer(_ body: AnswerRequest, of id: ConnectionID, _ request: MediaRequestID) {
        queue(.answer(request, body), of: id)
    }

    /// Restarts ICE after the client has lost its path; the next offer has new credentials (RFC 8445 section 9).
    package mutating func restartSubscriber(of id: ConnectionID, _ request: MediaRequestID) {
        queue(.restart(request), of: id)
    }

    private mutating func queue(_ request: SubscriberRequest, of id: ConnectionID) {
        guard members[id] != nil else {
            return outputs.append(.done(request.id, .error(SignalingError(.notJoined))))
        }
        members[id]?.requests.append(request)
        makeReady(id)
    }

    mutating func queue(_ order: SubscriptionOrder, _ stream: StreamID, of id: ConnectionID) {
        members[id]?.orders.add(order, stream)
        makeReady(id)
    }

    // MARK: work

    /// Carries out a member's work until a call is in progress.
    mutating func work(for id: ConnectionID, now: MediaTime) {
        members[id]?.isReady = false
        while let member = members[id], member.operation == nil {
            if let (order, stream) = members[id]?.orders.take() {
                begin(order, stream, id, now)
                members[id]?.subscriber?.isUnsaved = true
            } else if let request = member.requests.first {
                members[id]?.requests.removeFirst()
                begin(request, id, now)
                members[id]?.subscriber?.isUnsaved = true
            } else if member.isOfferDue, member.subscriber?.isHeld != true {
                members[id]?.isOfferDue = false
                makeOffer(to: id, now)
            } else {
                return save(id)
            }
        }
    }

    /// Passes the state of a client's negotiation on, unless an offer is open or about to be made, which the client may get.
    private mutating func save(_ id: ConnectionID) {
        guard savesSubscribers, let subscriber = members[id]?.subscriber, subscriber.isUnsaved,
            subscriber.isHeld || !subscriber.isOfferPlanned, let saved = subscriber.negotiation.saved
        else { return }
        members[id]?.subscriber?.isUnsaved = false
        outputs.append(.negotiated(subscriber.id, saved))
    }

    private mutating func begin(_ order: SubscriptionOrder, _ stream: StreamID, _ id: ConnectionID, _ now: MediaTime) {
        switch order {
        case .begin(let preferences): subscribe(id, stream, preferences, now)
        case .change(let preferences): change(id, stream, preferences, now)
        case .end: end(id, stream, then: nil, now)
        case .renew(let preferences): end(id, stream, then: preferences, now)
        }
    }

    private mutating func begin(_ request: SubscriberRequest, _ id: ConnectionID, _ now: MediaTime) {
        switch request {
        case .answer(let request, let body): settle(body, request, id, now)
        case .restart(let request):
            guard let peer = members[id]?.subscriber?.id else { return outputs.append(.done(request, nil)) }
            start(.restart(request), [.prepareRestart(peer)], id, now)
        }
    }

    /// Begins an operation of these calls.
    private mutating func start(
        _ goal: SubscriberOperation.Goal, _ calls: [MediaOrder], _ id: ConnectionID, _ now: MediaTime
    ) {
        members[id]?.operation = SubscriberOperation(goal: goal, rest: calls[...])
        next(id, .done, now)
    }

    /// Makes the next call of the operation, or ends it.
    /// - Parameter answer: answer to the call before.
    private mutating func next(_ id: ConnectionID, _ answer: MediaAnswer, _ now: MediaTime) {
        if let call = members[id]?.operation?.rest.popFirst() {
            let ticket = issue(call, .subscriber(id))
            members[id]?.operation?.ticket = ticket
        } else if let operation = members[id]?.operation {
            members[id]?.operation = nil
            makeReady(id)
            finish(operation.goal, answer, id, now)
        }
    }

    mutating func settleSubscriber(
        of id: ConnectionID, _ answer: Result<MediaAnswer, MediaFailure>, now: MediaTime
    ) {
        switch answer {
        case .success(let answer): next(id, answer, now)
        case .failure(let failure):
            guard let operation = members[id]?.operation else { return }
            members[id]?.operation = nil
            makeReady(id)
            fail(operation.goal, failure, id, now)
        }
    }

    private mutating func finish(
        _ goal: SubscriberOperation.Goal, _ answer: MediaAnswer, _ id: ConnectionID, _ now: MediaTime
    ) {
        switch goal {
        case .open, .subscribe, .update: planOffer(of: id)
        case .unsubscribe(_, nil): break
        case .unsubscribe(let stream, let preferences?): subscribe(id, stream, preferences, now)
        case .answer(let request, let agreement):
            // The answer to the request precedes the events that it causes.
            outputs.append(.done(request, nil))
            for track in agreement.added { connected(id, StreamID(rawValue: track.stream)) }
            for refusal in agreement.refused { refused(id, StreamID(rawValue: refusal.stream), refusal.kind) }
            planOffer(of: id)
        case .restart(let request):
            if case .credentials(let credentials) = answer {
                members[id]?.subscriber?.negotiation.restart(credentials, now: now)
            }
            planOffer(of: id)
            outputs.append(.done(request, nil))
        }
    }

    private mutating func fail(
        _ goal: SubscriberOperation.Goal, _ failure: MediaFailure, _ id: ConnectionID, _ now: MediaTime
    ) {
        switch goal {
        case .open(let stream, _): return outputs.append(.handle(.subscriptionFailed(id, stream)))
        case .subscribe(let stream):
            if !failure.isPeerGone { return outputs.append(.handle(.subscriptionFailed(id, stream))) }
        case .unsubscribe(let stream, let preferences?):
            if !failure.isPeerGone { return subscribe(id, stream, preferences, now) }
        case .update, .unsubscribe(_, nil): break
        case .answer(let request, _): outputs.append(.done(request, .error(failure.error)))
        case .restart(let request): outputs.append(.done(request, nil))
        }
        if failure.isPeerGone { resetSubscriber(of: id) }
    }

    // MARK: subscriptions

    /// Adds a stream to the next offer.
    private mutating func subscribe(
        _ id: ConnectionID, _ stream: StreamID, _ preferences: SubscriptionPreferences, _ now: MediaTime
    ) {
        guard let peer = members[id]?.subscriber?.id else {
            let isNative = members[id]?.subscribeTransport == .native
            let ticket = issue(.openSubscriber(id, isNative: isNative), .openSubscriber(id))
            members[id]?.operation = SubscriberOperation(
                goal: .open(stream, preferences), rest: [], ticket: ticket)
            return
        }
        do throws(SubscribeNegotiationError) {
            try members[id]?.subscriber?.negotiation.subscribe(stream.rawValue, kinds: kinds[stream] ?? [], now: now)
        } catch {
            return outputs.append(.handle(.subscriptionFailed(id, stream)))
        }
        start(.subscribe(stream), [.setPreferences(peer, stream, preferences)], id, now)
    }

    mutating func openedSubscriber(
        _ ticket: MediaTicket, of id: ConnectionID, _ answer: Result<MediaAnswer, MediaFailure>, now: MediaTime
    ) {
        let isWanted = members[id]?.operation?.ticket == ticket
        switch answer {
        case .failure(let failure): if isWanted { settleSubscriber(of: id, .failure(failure), now: now) }
        case .success(.subscriber(let peer, let relay, let videoCodecs)):
            guard register(peer, of: id), let transport = members[id]?.subscribeTransport else { return }
            var configuration = SubscribeNegotiation.Configuration(relay: relay, videoCodecs: videoCodecs)
            configuration.maximumSubscriptions = maximumSubscriptions
            let negotiation = SubscribeNegotiation(configuration, using: &random)
            members[id]?.subscriber = SubscribePeer(id: peer, transport: transport, negotiation: negotiation)
            members[id]?.operation?.ticket = nil
            if goneEarly.contains(peer) { return resetSubscriber(of: id) }
            if !relocate(peer, of: id, .subscriber(id, peer)) { subscriberIsRelocated(peer, of: id, now: now) }
        case .success: break
        }
    }

    /// Continues the operation that opened the peer.
    mutating func subscriberIsRelocated(_ peer: PeerID, of id: ConnectionID, now: MediaTime) {
        guard members[id]?.subscriber?.id == peer,
            case .open(let stream, let preferences)? = members[id]?.operation?.goal
        else { return }
        members[id]?.operation = nil
        makeReady(id)
        subscribe(id, stream, preferences, now)
    }

    private mutating func change(
        _ id: ConnectionID, _ stream: StreamID, _ preferences: SubscriptionPreferences, _ now: MediaTime
    ) {
        guard let peer = members[id]?.subscriber?.id else { return }
        // The kinds of the stream may have changed since its offer.
        var gone: [MID] = []
        if let kinds = kinds[stream],
            let mids = try? members[id]?.subscriber?.negotiation.setKinds(kinds, of: stream.rawValue, now: now)
        {
            gone = mids
            members[id]?.subscriber?.refused[stream]?.formIntersection(kinds)
            planOffer(of: id)
        }
        start(
            .update,
            (gone.isEmpty ? [] : [.removeTracks(peer, gone)]) + [.setPreferences(peer, stream, preferences)], id, now)
    }

    /// - Parameter then: preferences of a new subscription to the same stream.
    private mutating func end(
        _ id: ConnectionID, _ stream: StreamID, then preferences: SubscriptionPreferences?, _ now: MediaTime
    ) {
        members[id]?.subscriber?.connected.remove(stream)
        members[id]?.subscriber?.refused[stream] = nil
        var gone: [MID] = []
        if let mids = try? members[id]?.subscriber?.negotiation.unsubscribe(stream.rawValue, now: now) { gone = mids }
        planOffer(of: id)
        guard let peer = members[id]?.subscriber?.id, !gone.isEmpty else {
            if let preferences { subscribe(id, stream, preferences, now) }
            return
        }
        start(.unsubscribe(stream, then: preferences), [.removeTracks(peer, gone)], id, now)
    }

    // MARK: offers

    /// Schedules the next offer for its due time.
    mutating func planOffer(of id: ConnectionID) {
        guard let subscriber = members[id]?.subscriber, !subscriber.isOfferPlanned else { return }
        let due = subscriber.negotiation.deadline
        guard due != .never else { return }
        members[id]?.subscriber?.isOfferPlanned = true
        let i = offers.lastIndex { $0.due <= due }.map { $0 + 1 } ?? 0
        offers.insert((due, id), at: i)
    }

    private mutating func makeOffer(to id: ConnectionID, _ now: MediaTime) {
        guard let offer = members[id]?.subscriber?.negotiation.takeOffer(now: now) else { return planOffer(of: id) }
        outputs.append(.offer(id, OfferMade(offer)))
    }

    private mutating func settle(
        _ body: AnswerRequest, _ request: MediaRequestID, _ id: ConnectionID, _ now: MediaTime
    ) {
        do throws(SubscribeNegotiationError) {
            guard body.sdp.utf8.count <= SignalingProtocol.maximumSDPBytes else {
                throw .answer(.tooLong(bytes: body.sdp.utf8.count))
            }
            guard let peer = members[id]?.subscriber?.id,
                let agreement = try members[id]?.subscriber?.negotiation.accept(
                    body.sdp, revision: body.revision, now: now)
            else { throw .staleOffer(revision: body.revision) }
            var calls: [MediaOrder] = []
            if let description = agreement.connects { calls.append(.connect(peer, description)) }
            if let credentials = agreement.restarts { calls.append(.restart(peer, credentials)) }
            if !agreement.removed.isEmpty { calls.append(.removeTracks(peer, agreement.removed)) }
            if !agreement.added.isEmpty { calls.append(.addTracks(peer, agreement.added)) }
            start(.answer(request, agreement), calls, id, now)
        } catch {
            outputs.append(.done(request, .negotiation(error)))
            // The client has started a new peer connection, which gets new offers from the start.
            if error == .transportChanged { closeSubscriber(of: id) }
        }
    }

    private mutating func connected(_ id: ConnectionID, _ stream: StreamID) {
        guard members[id]?.subscriber?.connected.insert(stream).inserted == true else { return }
        outputs.append(.handle(.subscribed(id, stream)))
    }

    /// Records a refusal. A client that refuses all tracks of a stream is not subscribed to it.
    private mutating func refused(_ id: ConnectionID, _ stream: StreamID, _ kind: MediaKind) {
        members[id]?.subscriber?.refused[stream, default: []].insert(kind)
        guard let all = kinds[stream], members[id]?.subscriber?.refused[stream]?.isSuperset(of: all) == true else {
            return
        }
        outputs.append(.handle(.subscriptionFailed(id, stream)))
    }

    // MARK: the end

    /// Closes the subscribe peer connection of a client that starts a new one or has missed its offers.
    package mutating func closeSubscriber(of id: ConnectionID) {
        if let former = members[id]?.formerSubscriber { close(former) }
        guard let peer = members[id]?.subscriber?.id else { return }
        resetSubscriber(of: id)
        closeAtOnce(peer, isPlain: false)
    }

    /// Forgets a peer connection that no longer exists at the relay, and tells the client to start a new one. `Conference` then ends all
    /// subscriptions, so queued changes are obsolete.
    mutating func resetSubscriber(of id: ConnectionID) {
        guard let peer = members[id]?.subscriber?.id else { return }
        forget(peer)
        members[id]?.orders = SubscriptionOrders()
        if let operation = members[id]?.operation {
            if let ticket = operation.ticket { abandon(ticket) }
            members[id]?.operation = nil
            switch operation.goal {
            case .answer(let request, _):
                outputs.append(.done(request, .error(SignalingError(.unknownTransport))))
            case .restart(let request): outputs.append(.done(request, nil))
            case .open, .subscribe, .update, .unsubscribe: break
            }
        }
        makeReady(id)
        outputs.append(.handle(.reset(id, publish: false, subscribe: true)))
    }
}

extension OfferMade {
    init(_ offer: SubscribeOffer) {
        self.init(
            revision: offer.revision, sdp: offer.sdp,
            streams: offer.streams.map {
                Stream(id: StreamID(rawValue: $0.id), audioMid: $0.audioMid, videoMid: $0.videoMid)
            })
    }
}
