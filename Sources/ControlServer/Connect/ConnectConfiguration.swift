package import Conference
internal import Signaling

/// What the control protocol's door is built from.
package struct ConnectConfiguration: Sendable {
    package var conference = ConferenceLimits()
    package var directory = DirectoryLimits()
    package var outbox = OutboxLimits()
    /// Messages that one connection may send a second.
    package var messagesPerSecond = MessageRate.defaultLimit
    /// Wrong passwords of one address for one session in a minute.
    package var wrongPasswordsPerMinute = PasswordLimiter.defaultLimit
    /// Time without a sign of a client after which it is asked for one; after three of them it is lost.
    package var pingInterval = Duration.seconds(10)
    /// A connection that has not joined a session by then is closed.
    package var joinTime = Duration.seconds(60)
    /// The app whose sessions WHIP, WHEP and plain transports enter.
    package var standardApp = ""

    package init() {}
}
