package import MediaBase

/// Bounds of one session, and how long it waits for lost clients.
package struct ConferenceLimits: Hashable, Sendable {
    /// Configuration keys, named in errors.
    package static let participantsKey = "limit.participants"
    package static let streamsKey = "limit.streams"
    package static let subscriptionsKey = "limit.subscriptions"

    /// Users in the session, publishers without signalling included.
    package var participants = 10_000
    /// Streams in the session, those that are being negotiated included.
    package var streams = 2_000
    /// Subscriptions of one participant.
    package var subscriptions = 200
    /// Tokens of removed users that are remembered; the oldest is forgotten for the next.
    package var revokedTokens = 10_000
    /// How long a lost connection is kept (CON-3).
    package var graceTime = MediaTime.seconds(30)

    package init() {}
}
