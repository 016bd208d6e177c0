public import Signaling

extension Session {
    /// Publishes a stream: at most one of a camera and one of a screen.
    /// - Throws: `notPermitted` without the token's capability; `streamExists` where there is one of its kind already; `shareLocked` for
    ///   the screen of a participant while it is locked; `invalidStreamName`; `invalidField` for a publisher with neither sound nor
    ///   pictures; `insecureConnection` where `TransportChoice.native` was chosen and cannot be had; `mediaFailed` where this machine
    ///   or what the relay answered allows no media.
    /// - Returns: when the relay has agreed to it; the publisher's `created` event tells when everybody sees it.
    @discardableResult
    public func publish(_ publisher: Publisher) async throws(SessionError) -> StreamID {
        try await core.publish(publisher)
    }

    /// Ends a publication.
    /// - Throws: `unknownStream` for a publisher that is not published.
    public func unpublish(_ publisher: Publisher) async throws(SessionError) { try await core.unpublish(publisher) }

    /// Subscribes to a stream of the session.
    /// - Throws: `unknownStream` for a stream of another session, or none; `alreadySubscribed`; `notPermitted` without the token's
    ///   capability; `invalidField` for preferences out of range; `insecureConnection` as `publish(_:)`.
    public func subscribe(
        to stream: StreamID, preferences: SubscriptionPreferences = SubscriptionPreferences()
    ) async throws(SessionError) -> Subscriber {
        try await core.subscribe(to: stream, preferences: preferences)
    }

    /// Ends a subscription. It is over here even where an error is thrown.
    /// - Throws: `notSubscribed` for one that is over.
    public func unsubscribe(_ subscriber: Subscriber) async throws(SessionError) {
        try await core.unsubscribe(subscriber)
    }

    /// What the relay measures of this connection's media.
    public func statistics() async throws(SessionError) -> StatisticsAnswer {
        try await core.request(StatisticsRequest())
    }

    /// The raw frames and audio of a user, whichever stream they come in: when the user ends a camera's stream and publishes another, the
    /// canvas goes on with that one. It has the subscribed streams only, and ends when the user leaves.
    ///
    /// ```swift
    /// for await frame in session.canvas(of: user.id).pictures() { show(frame) }
    /// ```
    /// - Parameter type: the user's camera and microphone, or the screen that it shares.
    public func canvas(of user: ConnectionID, _ type: VideoType = .camera) -> Canvas {
        guard board.snapshot.model.users.contains(where: { $0.id == user }) else {
            let canvas = Canvas()
            canvas.finish()
            return canvas
        }
        return board.userCanvases.canvas(of: user, type)
    }

    /// Statistics of the subscribed streams of a user, by stream.
    public func statistics(of user: ConnectionID) async -> [StreamID: SubscriberStatistics] {
        let snapshot = board.snapshot
        var statistics: [StreamID: SubscriberStatistics] = [:]
        for (stream, subscriber) in snapshot.subscribers where snapshot.model.streams[stream]?.connection == user {
            statistics[stream] = await subscriber.statistics
        }
        return statistics
    }

    /// Has the relay keep what it knows of this connection.
    /// - Parameter note: what the user says, at most 2,000 characters.
    /// - Throws: `rateLimited` where the last report is not old enough: 10 s, unless the relay is configured otherwise.
    /// - Returns: the id that an operator reads the report back with.
    public func reportIssue(_ note: String? = nil) async throws(SessionError) -> String {
        try await core.request(ReportIssueRequest(note: note)).issue
    }
}
