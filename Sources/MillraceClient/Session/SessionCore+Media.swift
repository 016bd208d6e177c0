import MediaBase
import Signaling
import Transport

extension SessionCore {
    func media(_ notice: MediaNotice) {
        switch notice {
        case .joined: joined()
        case .interrupted: for subscriber in subscriptions.values { subscriber.setDropped(true) }
        case .resumed(let publishLost, let subscribeLost, let hasSnapshot):
            for subscriber in subscriptions.values { subscriber.setDropped(false) }
            // The relay does not know an offer that never reached it, so publications that have no stream yet are
            // published again as well.
            let isUnpublished = publications.contains { $0.stream == nil }
            // The media is restored after the replayed events, which may report lost media too.
            lostMedia.publish = lostMedia.publish || publishLost || isUnpublished
            lostMedia.subscribe = lostMedia.subscribe || subscribeLost
            if hasSnapshot { followMutes() }
        case .continued(let streams): continued = Set(streams)
        case .keysChanged:
            updateFrameKeys()
            restoreVideo()
        case .offer(let offer): Task { await take(offer) }
        case .subscription(let change):
            subscriptions[change.stream]?.take(change)
            if change.state == .failed { forget(subscription: change.stream) }
        case .reset(let publish, let subscribe):
            lostMedia.publish = lostMedia.publish || publish
            lostMedia.subscribe = lostMedia.subscribe || subscribe
            restoreMedia()
        case .ended(let reason): end(reason)
        }
    }

    /// Applies an event to the local publishers and subscribers.
    func mediaEvent(_ event: SessionEvent) {
        switch event {
        case .didReconnect(let isNewConnection): if !isNewConnection { restoreMedia() }
        case .streamCreated(let stream):
            followBeginning(of: stream)
            announce(stream.id)
        case .streamDestroyed(let stream, let reason):
            if let subscriber = subscriptions[stream.id] {
                forget(subscription: stream.id)
                subscriber.end(reason)
            }
            guard let index = publications.firstIndex(where: { $0.stream == stream.id }) else { return }
            let publisher = publications[index].publisher
            publisher.hub.send(.destroyed(stream.id, reason))
            if reason == .reset {
                publications[index].stream = nil
                publisher.setStream(nil)
            } else {
                publications.remove(at: index)
                publisher.detach()
                showPublishers()
                Task { await dropSections() }
            }
        case .streamMuteForced(let stream, let kind):
            guard let publisher = publications.first(where: { $0.stream == stream })?.publisher else { return }
            publisher.forceMute(kind ?? .audio)
        case .connectionDestroyed(let user, _): board.userCanvases.end(user.id)
        case .didDisconnect: board.userCanvases.endAll()
        case .unmuted(_, let kind): for publication in publications { publication.publisher.resume(kind) }
        default: break
        }
    }

    /// Makes again the publications and subscriptions that the relay has lost. Runs after the replayed events have been
    /// handled.
    private func restoreMedia() {
        guard machine.status == .connected else { return }
        let lost = lostMedia
        lostMedia = (false, false)
        if lost.publish { republish() }
        if lost.subscribe {
            resubscribe()
        } else {
            answerAgain()
            mendSubscriptions()
        }
        Task { await mendPaths() }
    }

    /// Negotiates paths that failed while the connection was lost, when no negotiation was possible.
    private func mendPaths() async {
        let now = ClientClock.now
        let broken = await thread?.call { connections in
            (
                publish: connections.publishing.flatMap { Self.trouble($0.isEnded, $0.isSilent(now: now)) },
                subscribe: connections.subscribing.flatMap { Self.trouble($0.isEnded, $0.isSilent(now: now)) }
            )
        }
        guard let broken else { return }
        if let trouble = broken.publish { await publishPath(is: trouble) }
        if let trouble = broken.subscribe { await subscribePath(is: trouble) }
    }

    private static func trouble(_ isEnded: Bool, _ isSilent: Bool) -> PathTrouble? {
        isEnded ? .ended : isSilent ? .silent : nil
    }

    /// Publishes and subscribes again after the first join, or after a later one under a new connection id.
    private func joined() {
        if thread == nil { thread = MediaThread(localAddress: configuration.localAddress) }
        lostMedia = (false, false)
        updateFrameKeys()
        republish()
        resubscribe()
    }

    /// Reports a missing path once per direction, until a path of that direction is found; attempts with further peer
    /// connections in between report nothing.
    func noPath(_ report: MediaPathReport, _ direction: MediaDirection) {
        guard thread != nil, pathless.insert(direction).inserted else { return }
        board.send(.noMediaPath(NoMediaPath(report, direction)))
    }

    func pathFound(_ direction: MediaDirection) {
        guard pathless.remove(direction) != nil else { return }
        board.send(.mediaPathFound(direction))
    }

    private func end(_ reason: DisconnectReason) {
        for publication in publications {
            if let stream = publication.stream {
                publication.publisher.hub.send(
                    .destroyed(stream, reason == .networkLost ? .networkLost : .clientLeft))
            }
            publication.publisher.detach()
        }
        publications = []
        pathless = []
        showPublishers()
        for subscriber in subscriptions.values { subscriber.end(nil) }
        subscriptions = [:]
        board.update { $0.subscribers = [:] }
        thread?.stop()
        thread = nil
    }

    /// Returns the configured transport, or chooses among those that the relay supports.
    func mediaTransport() throws(SessionError) -> MediaTransport {
        let takesNative = machine.model.transports.contains(.native)
        switch configuration.transport {
        case .automatic: return takesNative ? .native : .webRTC
        case .native:
            guard takesNative else { throw SessionError(.insecureConnection) }
            return .native
        case .webRTC: return .webRTC
        }
    }

    func networkChanged() { thread?.submit { connections in connections.rebind(now: ClientClock.now) } }
}
