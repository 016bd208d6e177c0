import MediaBase
import Signaling
import Transport

extension SessionCore {
    func media(_ notice: MediaNotice) {
        switch notice {
        case .joined: joined()
        case .interrupted: for subscriber in subscriptions.values { subscriber.setDropped(true) }
        case .resumed(let publishLost, let subscribeLost):
            for subscriber in subscriptions.values { subscriber.setDropped(false) }
            // An offer that never reached the relay is not known there: what has no stream yet is published again as well.
            let isUnpublished = publications.contains { $0.stream == nil }
            // What the replay tells of it may come first.
            lostMedia.publish = lostMedia.publish || publishLost || isUnpublished
            lostMedia.subscribe = lostMedia.subscribe || subscribeLost
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

    /// What an event means for one's own publishers and subscribers.
    func mediaEvent(_ event: SessionEvent) {
        switch event {
        case .didReconnect(let isNewConnection): if !isNewConnection { restoreMedia() }
        case .streamCreated(let stream): announce(stream.id)
        case .streamDestroyed(let stream, let reason):
            if let subscriber = subscriptions[stream.id] {
                forget(subscription: stream.id)
                subscriber.end(reason)
            }
            guard let place = publications.firstIndex(where: { $0.stream == stream.id }) else { return }
            let publisher = publications[place].publisher
            publisher.hub.send(.destroyed(stream.id, reason))
            if reason == .reset {
                publications[place].stream = nil
                publisher.setStream(nil)
            } else {
                publications.remove(at: place)
                publisher.detach()
                showPublishers()
                Task { await dropSections() }
            }
        case .streamMuteForced(let stream, let kind):
            guard let publisher = publications.first(where: { $0.stream == stream })?.publisher else { return }
            if kind != .video { publisher.setLocallyMuted(.audio, true) }
            if kind == .video { publisher.setLocallyMuted(.video, true) }
            publisher.hub.send(.muteForced)
        case .connectionDestroyed(let user, _): board.userCanvases.end(user.id)
        case .didDisconnect: board.userCanvases.endAll()
        case .unmuted(_, let kind): for publication in publications { publication.publisher.resume(kind) }
        default: break
        }
    }

    /// Makes again what the relay has lost, once all that it has to tell was told.
    private func restoreMedia() {
        guard machine.status == .connected else { return }
        let lost = lostMedia
        lostMedia = (false, false)
        if lost.publish { republish() }
        if lost.subscribe { resubscribe() } else { answerAgain() }
        Task { await mendPaths() }
    }

    /// Nothing could be negotiated about paths that broke while the connection was lost.
    private func mendPaths() async {
        let now = ClientClock.now
        let broken = await thread?.call { room in
            (
                publish: room.publishing.flatMap { Self.trouble($0.isEnded, $0.isSilent(now: now)) },
                subscribe: room.subscribing.flatMap { Self.trouble($0.isEnded, $0.isSilent(now: now)) }
            )
        }
        guard let broken else { return }
        if let trouble = broken.publish { await publishPath(is: trouble) }
        if let trouble = broken.subscribe { await subscribePath(is: trouble) }
    }

    private static func trouble(_ isEnded: Bool, _ isSilent: Bool) -> PathTrouble? {
        isEnded ? .ended : isSilent ? .silent : nil
    }

    /// The first join, or another one under a new connection: everything is to be made again.
    private func joined() {
        if thread == nil { thread = MediaThread(localAddress: configuration.localAddress) }
        lostMedia = (false, false)
        republish()
        resubscribe()
    }

    /// Told once, however many peer connections are tried after it, until one has a path.
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

    /// What was chosen, of what the relay takes.
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

    func networkChanged() { thread?.submit { room in room.rebind(now: ClientClock.now) } }
}
