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
    package static let viewersKey = "limit.transports"

    /// Users in the session, publishers without signalling included.
    package var participants = 10_000
    /// Size of a session from which users with neither stream nor role are counted, not listed, until it has fallen below half of that.
    package var listedUsers = 500
    /// Users in one join answer or page.
    package var usersPage = 100
    /// Joins and leaves within this time are told by one event; zero: each at once.
    package var presenceSharing = MediaTime.milliseconds(100)
    /// Messages a second to all clients together that tell of joins and leaves: in a session of 10,000 they are told once a second.
    package var presenceMessagesPerSecond = 10_000
    /// Streams in the session, those that are being negotiated included.
    package var streams = 2_000
    /// Subscriptions of one participant.
    package var subscriptions = 200
    /// Subsessions of the session (SUB-1).
    package var subsessions = 50
    /// Chat messages of one participant.
    package var chatPerSecond = 5
    /// Chat messages of the session that are known by their ids, so that one that is sent again is not said again; the oldest is forgotten
    /// for the next.
    package var chatMemory = 10_000
    /// Broadcasts of one manager.
    package var broadcastsPerSecond = 2
    /// Moves of one participant between subsessions and main session: each costs the media plane some. And as often it may ask for the list of
    /// subsessions, which names everybody in them.
    package var movesPerSecond = 5
    /// Requests for help in the session that have no result; more are told that everybody is busy.
    package var helpRequests = 100
    /// How long a request for help waits for a manager (SUB-5).
    package var helpTime = MediaTime.seconds(60)
    /// Moves within this time are told by one event (SUB-4).
    package var moveSharing = MediaTime.milliseconds(100)
    /// Those who watch without signalling.
    package var viewers = 10_000
    /// Tokens of removed users that are remembered; the oldest is forgotten for the next.
    package var revokedTokens = 10_000
    /// How long a lost connection is kept (CON-3).
    package var graceTime = MediaTime.seconds(30)
    package var policy = ConferencePolicy()

    package init() {}
}
