public import Signaling

extension Session {
    /// Publishes a stream: at most one camera stream and one screen stream per connection.
    ///
    /// Returns when the relay has accepted the stream; the publisher's `created` event reports when other users see it.
    /// - Throws: `notPermitted` if the token lacks the capability; `streamExists` if a stream of the same kind is already published;
    ///   `shareLocked` if screen sharing is locked and the local user is a participant; `invalidStreamName`; `invalidField` for a
    ///   publisher with neither audio nor video, and for simulcast in VP9 or AV1; `codecMismatch` if the relay does not forward the codec of
    ///   the video, or if the stream is encrypted end to end and its codec is not VP8; `insecureConnection` if `TransportChoice.native` was chosen and is not available;
    ///   `mediaFailed` if this machine or the relay's answer allows no media.
    /// - Returns: the id of the stream.
    @discardableResult
    public func publish(_ publisher: Publisher) async throws(SessionError) -> StreamID {
        try await core.publish(publisher)
    }

    /// Ends a publication.
    /// - Throws: `unknownStream` if the publisher is not published.
    public func unpublish(_ publisher: Publisher) async throws(SessionError) { try await core.unpublish(publisher) }

    /// Subscribes to a stream of the session.
    /// - Throws: `unknownStream` if the session has no such stream; `alreadySubscribed`; `notPermitted` if the token lacks the
    ///   capability; `invalidField` for preferences out of range; `insecureConnection` as in `publish(_:)`.
    public func subscribe(
        to stream: StreamID, preferences: SubscriptionPreferences = SubscriptionPreferences()
    ) async throws(SessionError) -> Subscriber {
        try await core.subscribe(to: stream, preferences: preferences)
    }

    /// Ends a subscription. The subscription ends locally even if the call throws.
    /// - Throws: `notSubscribed` if the subscription has ended already.
    public func unsubscribe(_ subscriber: Subscriber) async throws(SessionError) {
        try await core.unsubscribe(subscriber)
    }

    /// Returns the relay's measurements of this connection's media.
    public func statistics() async throws(SessionError) -> StatisticsAnswer {
        try await core.request(StatisticsRequest())
    }

    /// Returns a canvas with the raw frames and audio of a user, independent of the stream that carries them: if the user ends a camera
    /// stream and publishes another, the canvas continues with the new one. It contains only subscribed streams, and ends when the user
    /// leaves.
    ///
    /// ```swift
    /// for await frame in session.canvas(of: user.id).frames() { show(frame) }
    /// ```
    /// - Parameter type: `camera` for the user's camera and microphone, or `screen` for the shared screen.
    public func canvas(of user: ConnectionID, _ type: VideoType = .camera) -> Canvas {
        guard board.snapshot.model.users.contains(where: { $0.id == user }) else {
            let canvas = Canvas()
            canvas.finish()
            return canvas
        }
        return board.userCanvases.canvas(of: user, type)
    }

    /// Returns the statistics of the subscribed streams of a user, by stream.
    public func statistics(of user: ConnectionID) async -> [StreamID: SubscriberStatistics] {
        let snapshot = board.snapshot
        var statistics: [StreamID: SubscriberStatistics] = [:]
        for (stream, subscriber) in snapshot.subscribers where snapshot.model.streams[stream]?.connection == user {
            statistics[stream] = await subscriber.statistics
        }
        return statistics
    }

    /// Asks the relay to save its diagnostics of this connection as an issue report.
    /// - Parameter note: description by the user, at most 2,000 characters.
    /// - Throws: `rateLimited` if the previous report is less than 10 s old (default; configured at the relay).
    /// - Returns: id of the report, with which an operator finds it.
    public func reportIssue(_ note: String? = nil) async throws(SessionError) -> String {
        try await core.request(ReportIssueRequest(note: note)).issue
    }
}
