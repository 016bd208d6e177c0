package import Conference
package import MediaBase
import Signaling

/// Configuration of the control protocol's endpoint.
package struct ConnectConfiguration: Sendable {
    /// Video codecs that are forwarded, in the order of the relay's offers.
    package var videoCodecs = VideoCodec.allCases
    package var conference = ConferenceLimits()
    /// Limits of live streams that are pushed to other servers.
    package var pushes = PushRules()
    package var directory = DirectoryLimits()
    package var outbox = OutboxLimits()
    /// Maximum number of messages per second on one connection.
    package var messagesPerSecond = MessageRate.defaultLimit
    /// Maximum number of streams of one client that have queued calls to the media engine.
    package var mediaOrders = 400
    /// Maximum number of wrong passwords per minute from one address for one session.
    package var wrongPasswordsPerMinute = PasswordLimiter.defaultLimit
    /// Minimum interval between two reports of one client.
    package var issueInterval = MediaTime.seconds(10)
    /// Maximum number of WebSockets that have not joined a session: in total, and per address (see `ClientAddress`).
    package var unjoined = 1_024
    package var unjoinedPerAddress = 256
    /// Limits of the resources of each user, token and address.
    package var resources = ResourceLimits()
    /// Silence after which a client is pinged; after three intervals it is lost.
    package var pingInterval = Duration.seconds(10)
    /// Time after which a connection that has not joined a session is closed.
    package var joinTime = Duration.seconds(60)
    /// Whether clients on this host receive the keys of native media without TLS.
    package var takesKeysOnLoopback = true
    /// App whose sessions WHIP, WHEP and plain transports use.
    package var standardApp = ""

    package init() {}
}
