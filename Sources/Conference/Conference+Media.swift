package import MediaBase
import Signaling

extension Conference {
    /// Handles a report of the media plane. Ignores reports about streams and participants that are gone.
    package mutating func media(_ event: MediaEvent, now: MediaTime, wallClock: Int64) -> [Effect] {
        latest = now
        switch event {
        case .published(let owner, let id, let hasAudio, let hasVideo, let width, let height):
            announce(
                id, of: owner, hasAudio: hasAudio, hasVideo: hasVideo, width: width, height: height,
                wallClock: wallClock)
        case .unpublished(let id, let reason): destroy(id, reason)
        case .recorded(let id, let isRecorded): setRecorded(id, isRecorded)
        case .dimensions(let id, let width, let height): setDimensions(id, width: width, height: height)
        case .subscribed(let connection, let id):
            guard participants[connection]?.subscriptions[id] != nil else { break }
            tell(connection, .subscriptionChanged(SubscriptionChanged(stream: id, state: .connected)))
        case .subscriptionFailed(let connection, let id):
            guard participants[connection]?.subscriptions[id] != nil else { break }
            forgetSubscription(of: connection, to: id)
            tell(connection, .subscriptionChanged(SubscriptionChanged(stream: id, state: .failed)))
        case .videoPaused(let connection, let id):
            changeSubscription(of: connection, to: id, because: .quality) { $0.isVideoPaused = true }
        case .videoResumed(let connection, let id):
            changeSubscription(of: connection, to: id, because: .quality) { $0.isVideoPaused = false }
        case .codecSupported(let connection, let id, let isSupported):
            changeSubscription(of: connection, to: id, because: .unsupportedCodec) {
                $0.hasUnsupportedCodec = !isSupported
            }
        case .muteFailed(let id, let kind, let isMuted): takeBackMute(id, kind, isMuted)
        case .activeSpeaker(let id, let location): setActiveSpeaker(id, in: location)
        case .reset(let connection, let publish, let subscribe): reset(connection, publish, subscribe)
        case .subscriberLeft(let connection): return visitingSubscriberLeft(connection)
        case .publisherLeft(let connection, let reason):
            guard participants[connection]?.info.kind == .publisher else { break }
            // An encoder that restarts joins as a new participant. The session waits for it, so that its WHEP
            // subscribers are not closed.
            if reservation == nil, order.count == 1, !visitingSubscribers.isEmpty, limits.graceTime > .zero {
                publisherWait = (now + limits.graceTime, reason)
            }
            depart(connection, reason)
        }
        return takeEffects()
    }

    private mutating func reset(_ connection: ConnectionID, _ publish: Bool, _ subscribe: Bool) {
        guard let participant = participants[connection], publish || subscribe else { return }
        if publish { for stream in participant.streams { destroy(stream, .reset) } }
        if subscribe {
            for stream in streamOrder { forgetSubscription(of: connection, to: stream) }
        }
        tell(connection, .mediaReset(MediaReset(publish: publish, subscribe: subscribe)))
    }
}
