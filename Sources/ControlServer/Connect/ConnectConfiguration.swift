package import Conference
package import MediaBase
import Signaling

/// What the control protocol's door is built from.
package struct ConnectConfiguration: Sendable {
    package var conference = ConferenceLimits()
    package var directory = DirectoryLimits()
    package var outbox = OutboxLimits()
    /// Messages that one connection may send a second.
    package var messagesPerSecond = MessageRate.defaultLimit
    /// Streams about which something waits for the media engine, of one client.
    package var mediaOrders = 400
    /// Wrong passwords of one address for one session in a minute.
    package var wrongPasswordsPerMinute = PasswordLimiter.defaultLimit
    /// Between two reports of one client.
    package var issueInterval = MediaTime.seconds(10)
    /// WebSockets that have not joined a session, in all and from one address (see `ClientAddress`).
    package var unjoined = 1_024
    package var unjoinedPerAddress = 256
    /// Limits of what each user, token and address may hold.
    package var resources = ResourceLimits()
    /// Time without a sign of a client after which it is asked for one; after three of them it is lost.
    package var pingInterval = Duration.seconds(10)
    /// A connection that has not joined a session by then is closed.
    package var joinTime = Duration.seconds(60)
    /// Keys of native media are told, without TLS, to clients on this host.
    package var takesKeysOnLoopback = true
    /// The app whose sessions WHIP, WHEP and plain transports enter.
    package var standardApp = ""

    package init() {}
}
