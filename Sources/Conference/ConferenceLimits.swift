package import MediaBase

/// Bounds of one session, and how long it waits for lost clients.
package struct ConferenceLimits: Hashable, Sendable {
    /// Configuration keys, named in errors.
    package static let participantsKey = "limit.participants"
    package static let streamsKey = "limit.streams"
    package static let subscriptionsKey = "limit.subscriptions"
    package static let subsessionsKey = "limit.subsessions"
    package static let chatKey = "limit.chatPerSecond"
    package static let broadcastsKey = "limit.broadcastsPerSecond"
    package static let movesKey = "limit.movesPerSecond"
    package static let visitingSubscribersKey = "limit.transports"
    package static let pushesKey = "limit.liveStreams"

    /// Participants in the session, including publishers without signalling.
    package var participants = 10_000
    /// Size from which participants with neither stream nor role are counted instead of listed, until it has fallen
    /// below half of this.
    package var listedUsers = 500
    /// Users in one join answer or page.
    package var usersPage = 100
    /// Joins and leaves within this time share one event; zero sends each at once.
    package var presenceSharing = MediaTime.milliseconds(100)
    /// Messages per second about joins and leaves, to all clients together: a session of 10,000 clients gets one event
    /// per second.
    package var presenceMessagesPerSecond = 10_000
    /// Streams in the session, including those being negotiated.
    package var streams = 2_000
    /// Subscriptions of one participant.
    package var subscriptions = 200
    /// Subsessions of the session (SUB-1).
    package var subsessions = 50
    /// Chat messages per second of one participant.
    package var chatPerSecond = 5
    /// Chat messages that are remembered by id, so that a repetition is not delivered twice; drops the oldest.
    package var chatMemory = 10_000
    /// Broadcasts per second of one manager.
    package var broadcastsPerSecond = 2
    /// Moves per second of one participant between subsessions and the main session, because each move costs the media
    /// plane time. Also limits requests for the list of subsessions, which names all their participants.
    package var movesPerSecond = 5
    /// Open help requests in the session; further ones get the result "busy".
    package var helpRequests = 100
    /// Time after which an unanswered help request ends as ignored (SUB-5).
    package var helpTime = MediaTime.seconds(60)
    /// Moves within this time share one event (SUB-4).
    package var moveSharing = MediaTime.milliseconds(100)
    /// Pushes to other servers (LIV-1).
    package var pushes = 4
    /// Subscribers without signalling.
    package var visitingSubscribers = 10_000
    /// Tokens of removed participants that stay refused; drops the oldest.
    package var revokedTokens = 10_000
    /// Time that a lost connection is kept (CON-3).
    package var graceTime = MediaTime.seconds(30)
    package var policy = ConferencePolicy()

    package init() {}
}
