import MediaBase
import Signaling

extension SessionCore {
    func subscribe(
        to stream: StreamID, preferences: SubscriptionPreferences
    ) async throws(SessionError) -> Subscriber {
        guard let thread, machine.status == .connected else { throw SessionError(.notConnected) }
        guard let info = machine.model.streams[stream] else { throw SessionError(.unknownStream) }
        guard subscriptions[stream] == nil else { throw SessionError(.alreadySubscribed) }
        guard info.isEncrypted || !options.requiresEncryption else {
            throw SessionError(.encryptionRequired, "the stream is not encrypted")
        }
        let transport = try mediaTransport()
        let subscriber = Subscriber(
            stream, preferences: preferences, core: self, thread: thread,
            userCanvas: board.userCanvases.canvas(of: info.connection, info.videoType))
        subscriber.setEncrypted(info.isEncrypted, frameKeys(of: info.connection))
        subscriptions[stream] = subscriber
        board.update { $0.subscribers[stream] = subscriber }
        do throws(SessionError) {
            try await request(SubscribeRequest(stream: stream, preferences: preferences, transport: transport))
        } catch {
            if subscriptions[stream] === subscriber { forget(subscription: stream) }
            subscriber.end(nil)
            throw error
        }
        return subscriber
    }

    func unsubscribe(_ subscriber: Subscriber) async throws(SessionError) {
        guard subscriptions[subscriber.stream] === subscriber else { throw SessionError(.notSubscribed) }
        forget(subscription: subscriber.stream)
        subscriber.end(nil)
        try await request(UnsubscribeRequest(stream: subscriber.stream))
    }

    func forget(subscription stream: StreamID) {
        subscriptions[stream] = nil
        board.update { $0.subscribers[stream] = nil }
        thread?.submit { connections in connections.subscribing?.remove(stream) }
    }

    /// Subscribes to all streams again, because the relay no longer knows the subscriptions.
    func resubscribe() {
        latestOffer = nil
        answeredRevision = nil
        continued = nil
        thread?.submit { connections in
            connections.subscribing?.close(now: ClientClock.now)
            connections.subscribing = nil
        }
        for (stream, subscriber) in subscriptions {
            guard machine.model.streams[stream] != nil, let thread else {
                forget(subscription: stream)
                subscriber.end(.reset)
                continue
            }
            subscriber.beginAgain(thread: thread)
            subscriber.setDropped(true)
            Task { await subscribeAgain(subscriber) }
        }
    }

    /// Makes the relay's subscriptions those of the application, after another relay has taken them over: a request may have been lost.
    func mendSubscriptions() {
        guard let known = continued, let thread else { return }
        continued = nil
        for stream in known where subscriptions[stream] == nil {
            Task { _ = try? await request(UnsubscribeRequest(stream: stream)) }
        }
        for (stream, subscriber) in subscriptions {
            if known.contains(stream) {
                let wanted = UpdateSubscriptionRequest(stream: stream, preferences: subscriber.effectivePreferences)
                Task { _ = try? await request(wanted) }
            } else {
                subscriber.beginAgain(thread: thread)
                Task { await subscribeAgain(subscriber) }
            }
        }
    }

    private func subscribeAgain(_ subscriber: Subscriber) async {
        do throws(SessionError) {
            try await request(
                SubscribeRequest(
                    stream: subscriber.stream, preferences: subscriber.preferences, transport: try mediaTransport()))
            subscriber.setDropped(false)
        } catch {
            // The connection was lost during the request: the next resume or join tries again. A subscription that the relay still has
            // continues.
            guard error.code != .notConnected, error.code != .alreadySubscribed else { return }
            guard subscriptions[subscriber.stream] === subscriber else { return }
            forget(subscription: subscriber.stream)
            subscriber.end(nil)
        }
    }

    /// Answers the newest offer; skips older ones that are still queued.
    func take(_ offer: OfferMade) async {
        if let latestOffer, latestOffer.revision >= offer.revision { return }
        latestOffer = offer
        await answerTurn.enter()
        if latestOffer?.revision == offer.revision { await answer(offer) }
        await answerTurn.leave()
    }

    /// Answers the newest offer again if the connection was lost before the relay confirmed the answer.
    func answerAgain() {
        guard let offer = latestOffer, offer.revision != answeredRevision else { return }
        latestOffer = nil
        Task { await take(offer) }
    }

    private func answer(_ offer: OfferMade) async {
        guard let thread else { return }
        let routes = offer.streams.compactMap { stream in
            subscriptions[stream.id].map {
                SubscribeRoute(subscriber: $0, audioMid: stream.audioMid, videoMid: stream.videoMid)
            }
        }
        let troubled: @Sendable (PathTrouble) -> Void = { [weak self] trouble in
            guard let self else { return }
            Task { await self.subscribePath(is: trouble) }
        }
        let made = await thread.call { connections in
            connections.answerSubscribe(offer.sdp, routes, now: ClientClock.now, troubled: troubled)
        }
        guard case .success(let sdp) = made else {
            if case .failure(let error) = made { board.send(.didFail(error)) }
            return
        }
        do throws(SessionError) {
            try await request(AnswerRequest(revision: offer.revision, sdp: sdp))
            answeredRevision = offer.revision
        } catch {
            // After a refusal the relay sends a newer offer. If the connection was lost, the offer is answered again after the resume.
            if error.code != .notConnected { answeredRevision = offer.revision }
        }
    }

    /// Handles a subscribe peer connection whose path is silent, ended, missing or restored, by asking the relay for an offer with an
    /// ICE restart. A path that has ended has lost its keys as well, so a new peer connection answers that offer. The relay recognizes
    /// this by the new certificate, discards the old peer connection and sends `mediaReset`.
    func subscribePath(is trouble: PathTrouble) async {
        switch trouble {
        case .silent: break
        case .missing(let report): return noPath(report, .subscribe)
        case .mended: return pathFound(.subscribe)
        case .ended:
            for subscriber in subscriptions.values { subscriber.setDropped(true) }
            try? await Task.sleep(for: Self.patience)
            let isEnded = await thread?.call { $0.subscribing?.isEnded } ?? nil
            guard isEnded == true else { return }
        }
        guard machine.status == .connected else { return }
        _ = try? await request(RestartICERequest())
    }
}
