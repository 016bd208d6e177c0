public import Signaling

extension Session {
    /// Publishes a stream: at most one of a camera and one of a screen (STR-1).
    /// - Returns: when the relay has agreed to it; the publisher's `created` event tells when everybody sees it.
    @discardableResult
    public func publish(_ publisher: Publisher) async throws(SessionError) -> StreamID {
        try await core.publish(publisher)
    }

    /// Ends a publication.
    public func unpublish(_ publisher: Publisher) async throws(SessionError) { try await core.unpublish(publisher) }

    /// Subscribes to a stream of the session.
    /// - Throws: `unknownStream` for a stream of another session, or none; `alreadySubscribed`.
    public func subscribe(
        to stream: StreamID, preferences: SubscriptionPreferences = SubscriptionPreferences()
    ) async throws(SessionError) -> Subscriber {
        try await core.subscribe(to: stream, preferences: preferences)
    }

    /// Ends a subscription.
    public func unsubscribe(_ subscriber: Subscriber) async throws(SessionError) {
        try await core.unsubscribe(subscriber)
    }

    /// What the relay measures of this connection's media.
    public func statistics() async throws(SessionError) -> StatisticsAnswer {
        try await core.request(StatisticsRequest())
    }

    /// Has the relay keep what it knows of this connection.
    /// - Parameter note: what the user says, at most 2,000 characters.
    /// - Returns: the id that an operator reads the report back with (ISS-1).
    public func reportIssue(_ note: String? = nil) async throws(SessionError) -> String {
        try await core.request(ReportIssueRequest(note: note)).issue
    }
}
