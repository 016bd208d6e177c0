package import MediaBase
package import Signaling

extension Conference {
    mutating func subscribe(
        _ connection: ConnectionID, _ id: StreamID, _ preferences: SubscriptionPreferences
    ) throws(SignalingError) {
        // A stream of another session gives the same error as an id that never existed (STR-5).
        guard let stream = published[id], stream.phase == .announced else {
            throw SignalingError(.unknownStream, field: "stream")
        }
        guard let participant = participants[connection] else { throw SignalingError(.notJoined) }
        let subscriptions = participant.subscriptions
        guard subscriptions[id] == nil else { throw SignalingError(.alreadySubscribed, field: "stream") }
        guard subscriptions.count < limits.subscriptions else {
            throw SignalingError(
                .limitReached, "a participant has at most \(limits.subscriptions) subscriptions",
                limit: ConferenceLimits.subscriptionsKey)
        }
        try check(preferences)
        let preferences = participant.media.bounding(preferences)
        let isHeard = hears(connection, stream)
        participants[connection]?.subscriptions[id] = Subscription(
            preferences: preferences, isHeard: isHeard, isOrdered: isHeard)
        published[id]?.subscribers.insert(connection)
        guard isHeard else {
            return tell(connection, .subscriptionChanged(SubscriptionChanged(stream: id, state: .suspended)))
        }
        command(.subscribe(connection, id, preferences))
    }

    mutating func updateSubscription(
        _ connection: ConnectionID, _ id: StreamID, _ preferences: SubscriptionPreferences
    ) throws(SignalingError) {
        guard let before = participants[connection]?.subscriptions[id] else {
            throw SignalingError(.notSubscribed, field: "stream")
        }
        try check(preferences)
        let preferences = participants[connection]?.media.bounding(preferences) ?? preferences
        guard before.preferences != preferences else { return }
        changeSubscription(of: connection, to: id, because: .subscriber) { $0.preferences = preferences }
        if before.isOrdered { command(.updateSubscription(connection, id, preferences)) }
    }

    mutating func unsubscribe(_ connection: ConnectionID, _ id: StreamID) throws(SignalingError) {
        guard participants[connection]?.subscriptions[id] != nil else {
            throw SignalingError(.notSubscribed, field: "stream")
        }
        forgetSubscription(of: connection, to: id)
    }

    /// Removes a subscription, at its own end or at the end of the stream.
    mutating func forgetSubscription(of connection: ConnectionID, to id: StreamID) {
        guard let subscription = participants[connection]?.subscriptions.removeValue(forKey: id) else { return }
        published[id]?.subscribers.remove(connection)
        if subscription.isOrdered { command(.unsubscribe(connection, id)) }
    }

    /// Continues the subscriptions of a subscribe peer connection that has survived the loss of the session's home relay. Those to streams that
    /// have not survived, or that the client may not make any more, end.
    package mutating func adoptSubscriptions(
        _ all: [(stream: StreamID, preferences: SubscriptionPreferences?)], of connection: ConnectionID, now: MediaTime
    ) -> [Effect] {
        latest = now
        for (id, preferences) in all where !adoptSubscription(id, preferences, of: connection) {
            command(.unsubscribe(connection, id))
        }
        return takeEffects()
    }

    private mutating func adoptSubscription(
        _ id: StreamID, _ preferences: SubscriptionPreferences?, of connection: ConnectionID
    ) -> Bool {
        guard let preferences, let stream = published[id], stream.phase == .announced,
            let participant = participants[connection], participant.capabilities.canSubscribe,
            participant.subscriptions[id] == nil, participant.subscriptions.count < limits.subscriptions
        else { return false }
        do throws(SignalingError) { try check(preferences) } catch { return false }
        let isHeard = hears(connection, stream)
        participants[connection]?.subscriptions[id] = Subscription(
            preferences: participant.media.bounding(preferences), isHeard: isHeard, isOrdered: true)
        published[id]?.subscribers.insert(connection)
        return true
    }

    /// Tells a client the obstacles of its subscriptions that continue after a take-over, because it may have missed a change.
    package mutating func retellSubscriptions(of connection: ConnectionID, now: MediaTime) -> [Effect] {
        latest = now
        for (id, _) in subscriptions(of: connection) {
            guard let stream = published[id], let subscription = participants[connection]?.subscriptions[id] else {
                continue
            }
            let location: SubscriptionChanged.State = subscription.isHeard ? .resumed : .suspended
            tell(connection, .subscriptionChanged(SubscriptionChanged(stream: id, state: location)))
            guard stream.hasVideoTrack else { continue }
            let obstacle = subscription.obstacle(stream)
            tell(
                connection,
                .subscriptionChanged(
                    SubscriptionChanged(
                        stream: id, state: obstacle == nil ? .videoEnabled : .videoDisabled,
                        reason: obstacle ?? .quality)))
        }
        return takeEffects()
    }

    /// Returns subscribers in order of joining.
    func subscribers(of stream: PublishedStream) -> [ConnectionID] {
        stream.subscribers.isEmpty ? [] : order.filter { stream.subscribers.contains($0) }
    }

    mutating func changeSubscription(
        of connection: ConnectionID, to id: StreamID, because reason: VideoChangeReason,
        _ change: (inout Subscription) -> Void
    ) {
        guard let stream = published[id], var subscription = participants[connection]?.subscriptions[id] else { return }
        let before = subscription.obstacle(stream)
        change(&subscription)
        participants[connection]?.subscriptions[id] = subscription
        tellVideoChange(connection, stream, from: before, to: subscription.obstacle(stream), because: reason)
    }

    /// Notifies subscribers that the publisher muted or unmuted its video.
    mutating func tellVideoChange(of before: PublishedStream, to stream: PublishedStream) {
        guard before.isVideoMuted != stream.isVideoMuted else { return }
        for connection in subscribers(of: stream) {
            guard let subscription = participants[connection]?.subscriptions[stream.id] else { continue }
            tellVideoChange(
                connection, stream, from: subscription.obstacle(before), to: subscription.obstacle(stream),
                because: .publisher)
        }
    }

    /// Sends an event only if the video stops or continues for the subscriber (STR-3), or cannot be received at all (STR-7).
    private mutating func tellVideoChange(
        _ connection: ConnectionID, _ stream: PublishedStream, from: VideoChangeReason?, to: VideoChangeReason?,
        because reason: VideoChangeReason
    ) {
        let isNewlyUnsupported = to == .unsupportedCodec && from != .unsupportedCodec
        guard stream.hasVideoTrack, (from == nil) != (to == nil) || isNewlyUnsupported else { return }
        tell(
            connection,
            .subscriptionChanged(
                SubscriptionChanged(
                    stream: stream.id, state: to == nil ? .videoEnabled : .videoDisabled, reason: to ?? reason)))
    }

    private func check(_ preferences: SubscriptionPreferences) throws(SignalingError) {
        try Bounds.check(preferences.width, 1...Bounds.pixels, "width")
        try Bounds.check(preferences.height, 1...Bounds.pixels, "height")
        try Bounds.check(preferences.maximumWidth, 1...Bounds.pixels, "maximumWidth")
        try Bounds.check(preferences.maximumHeight, 1...Bounds.pixels, "maximumHeight")
        try Bounds.check(preferences.frameRate, 1...Bounds.frameRate, "frameRate")
        try Bounds.check(preferences.priority, 0...100, "priority")
    }
}
