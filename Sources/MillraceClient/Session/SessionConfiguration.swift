/// How a session behaves; the defaults suit most applications.
public struct SessionConfiguration: Sendable {
    /// Name of the session. Nil: the one that the token is for.
    public var sessionName: String?
    /// Name and version of the application, for the relay's logs and reports; at most 200 characters.
    public var client: String?
    /// Until the WebSocket stands, and until a join or resume is answered; a day at most.
    public var connectTimeout = Duration.seconds(10)
    /// Until any other request is answered; after it the connection counts as lost. A day at most.
    public var requestTimeout = Duration.seconds(15)
    /// Between signs of life to the relay, 100 ms to an hour; a shorter one of the relay's own goes first. After two and a half without
    /// a word of the relay the connection counts as lost.
    public var pingInterval = Duration.seconds(5)
    public var reconnect = ReconnectPolicy()

    /// Events that wait for a reader or a delegate at most. A slower one loses the oldest, counted.
    public var eventLimit = 4_096
    /// Signals that wait for the connection to come back; one more is refused with `limitReached`.
    public var signalLimit = 256
    /// Requests that wait for their answers; one more is refused with `limitReached`.
    public var requestLimit = 1_024

    /// How media goes; where it is `automatic`, the relay is asked what it takes.
    public var transport = TransportChoice.automatic
    /// The address that UDP sockets are bound to; nil: whatever the system chooses.
    public var localAddress: String?
    /// Path of a PEM file with the certificates of authorities that are trusted in place of the system's, for `wss` and `https`: such as the
    /// relay's own certificate where nobody else signed it. Nil: the system's.
    public var trustedCertificates: String?
    /// The relay's certificate is checked. Off only for tests against a relay of one's own.
    public var checksCertificates = true

    public init() {}
}
