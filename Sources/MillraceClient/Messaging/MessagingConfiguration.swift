/// How a messaging client behaves; the defaults suit most applications. With a session's connection only its limits apply: the rest is the
/// session's.
public struct MessagingConfiguration: Sendable {
    /// Until the WebSocket stands; a day at most.
    public var connectTimeout = Duration.seconds(10)
    /// Until a request is answered; after it the connection counts as lost. A day at most.
    public var requestTimeout = Duration.seconds(15)
    /// Between signs of life to the relay, 100 ms to an hour. After two and a half without a word of the relay the connection counts as
    /// lost.
    public var pingInterval = Duration.seconds(10)
    /// A client that is offline for long is nothing unusual: it does not give up for a week.
    public var reconnect = ReconnectPolicy(longestDelay: .seconds(30), giveUpAfter: .seconds(7 * 86_400))

    /// Path of a PEM file with the certificates of authorities that are trusted in place of the system's. Nil: the system's.
    public var trustedCertificates: String?
    /// The relay's certificate is checked. Off only for tests against a relay of one's own.
    public var checksCertificates = true

    /// Events that wait for a reader or a delegate at most. A slower one loses the oldest, counted.
    public var eventLimit = 4_096
    /// Requests that wait for their answers; one more is refused with `limitReached`.
    public var requestLimit = 1_024
    /// What the relay told that waits to be stored; more of it, and all is read again.
    public var newsLimit = 4_096
    /// Messages that wait to be sent; one more is refused with `limitReached`.
    public var outgoingLimit = 1_000
    /// Before a message is tried again that the relay could not store; a day at most.
    public var retryDelay = Duration.seconds(2)

    public init() {}
}
