import Conference
import Logging
import MediaBase
import MediaEngine
import Signaling

/// Calls to the media engine that `Conference` asks for. Calls that stop or resume media reach the engine before anything else happens;
/// changes of subscriptions are queued.
extension LiveSession {
    /// - Returns: calls that were made to the engine at once.
    func order(_ command: MediaCommand) -> [MediaCall] {
        switch command {
        case .setMuted(let stream, let kind, let isMuted):
            [
                MediaCall(
                    command: command,
                    call: environment.engine.beginSetMuted(
                        session: engineName, stream: stream.rawValue, kind: MediaKind(kind), muted: isMuted))
            ]
        case .unpublish(let stream): unpublish(stream).map { MediaCall(command: command, call: $0) }
        case .closeMedia(let id):
            // A client's peers are closed with it.
            ((clients[id].map { closePeers(of: $0) } ?? []) + closePublisher(id) + closeViewer(id)).map {
                MediaCall(command: command, call: $0)
            }
        case .subscribe(let id, let stream, let preferences): queue(.begin(preferences), stream, of: id)
        case .updateSubscription(let id, let stream, let preferences): queue(.change(preferences), stream, of: id)
        case .unsubscribe(let id, let stream): queue(.end, stream, of: id)
        // `begin` handles moves (see `LiveSession+Placing.swift`).
        case .place: []
        }
    }

    // MARK: immediate calls

    /// Waits until the engine has carried out the calls.
    /// - Returns: error of a mute that failed; `Conference` has taken the mute back by then.
    func outcome(of calls: [MediaCall]) async -> SignalingError? {
        var failure: SignalingError?
        for call in calls {
            do throws(EngineError) {
                try await call.call.finish()
            } catch {
                failure = failure ?? failed(call.command, error)
            }
        }
        return failure
    }

    /// Handles the outcome of calls without a waiting caller.
    func watch(_ calls: [MediaCall]) {
        guard !calls.isEmpty else { return }
        Task { _ = await outcome(of: calls) }
    }

    private func failed(_ command: MediaCommand, _ error: EngineError) -> SignalingError? {
        guard case .setMuted(let stream, let kind, let isMuted) = command else {
            switch error {
            // The object is gone already.
            case .unknownSession, .unknownStream, .unknownTransport, .stopped: break
            default: logger.error("media engine could not close a transport or stream", metadata: ["error": "\(error)"])
            }
            return nil
        }
        switch error {
        case .unknownSession, .unknownStream, .invalidRequest:
            // The engine forwards no media of the stream. A stream that is yet to begin starts in the state that `Conference` has.
            return conference.isPublished(stream) ? nil : SignalingError(.unknownStream, field: "stream")
        default:
            logger.error(
                "media engine could not change a mute", metadata: ["stream": "\(stream)", "error": "\(error)"])
            report(.muteFailed(stream, kind, isMuted))
            return SignalingError(Problem(error))
        }
    }

    // MARK: queued calls

    private func queue(_ order: SubscriptionOrder, _ stream: StreamID, of client: ConnectionID) -> [MediaCall] {
        orders.add(order, stream, of: client)
        if !orders.isAnnounced {
            orders.isAnnounced = true
            Task { await inOrder {} }
        }
        return []
    }

    /// Returns an error if too many streams of the client have queued calls.
    func objection(toOrdering stream: StreamID, for client: ConnectionID) -> SignalingError? {
        let limit = environment.configuration.mediaOrders
        guard orders.count(of: client) >= limit, !orders.has(stream, of: client) else { return nil }
        return SignalingError(
            .limitReached, "\(limit) streams wait for the media engine", limit: MediaOrders.limitKey, retryAfter: 1)
    }

    /// Runs `body` after all calls that were queued before, and excludes other calls while it runs.
    func inOrder<R>(_ body: () async -> R) async -> R {
        if orders.isBusy {
            await withCheckedContinuation { orders.waiting.append($0) }
        } else {
            orders.isBusy = true
        }
        await carryOutOrders()
        let result = await body()
        await carryOutOrders()
        if orders.waiting.isEmpty {
            orders.isBusy = false
        } else {
            orders.waiting.removeFirst().resume()
        }
        return result
    }

    private func carryOutOrders() async {
        while let (order, stream, id) = orders.take() {
            guard let client = clients[id] else { continue }
            switch order {
            case .begin(let preferences): await subscribe(client, stream, preferences)
            case .change(let preferences): await updateSubscription(client, stream, preferences)
            case .end: await unsubscribe(client, stream)
            case .renew(let preferences):
                await unsubscribe(client, stream)
                await subscribe(client, stream, preferences)
            }
        }
        orders.isAnnounced = false
    }
}
