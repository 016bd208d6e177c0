/// Configuration of a messaging client; the defaults suit most applications. A client that uses a session's connection applies only the
/// limits; the session's configuration determines the rest.
public struct MessagingConfiguration: Sendable {
    /// Timeout for opening the WebSocket, at most one day.
    public var connectTimeout = Duration.seconds(10)
    /// Timeout for the answer to a request, at most one day; when it expires, the connection counts as lost.
    public var requestTimeout = Duration.seconds(15)
    /// Interval of pings to the relay, 100 ms to one hour. The connection counts as lost after two and a half intervals without a message
    /// from the relay.
    public var pingInterval = Duration.seconds(10)
    /// Reconnection policy. The client gives up only after a week, because it is often offline for long.
    public var reconnect = ReconnectPolicy(longestDelay: .seconds(30), giveUpAfter: .seconds(7 * 86_400))

    /// Path of a PEM file with the certificates of trusted authorities, in place of the system's; nil for the system's.
    public var trustedCertificates: String?
    /// Whether the relay's certificate is verified. Switch it off only in tests with a relay of your own.
    public var checksCertificates = true

    /// Maximum number of events buffered for one reader or delegate. A slower one loses the oldest events, which are counted.
    public var eventLimit = 4_096
    /// Maximum number of requests without an answer; further ones fail with `limitReached`.
    public var requestLimit = 1_024
    /// Maximum number of notifications from the relay that are not stored yet; beyond it, the client reads all changes again.
    public var newsLimit = 4_096
    /// Maximum number of unsent messages; further ones fail with `limitReached`.
    public var outgoingLimit = 1_000
    /// Delay before a message that the relay could not store is sent again; at most one day.
    public var retryDelay = Duration.seconds(2)

    public init() {}
}
