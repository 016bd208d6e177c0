/// Configuration of a session; the defaults suit most applications.
public struct SessionConfiguration: Sendable {
    /// Name of the session; nil for the name in the token.
    public var sessionName: String?
    /// Name and version of the application, for the relay's logs and reports; at most 200 characters.
    public var client: String?
    /// Timeout for opening the WebSocket, and for the answer to a join or resume; at most one day.
    public var connectTimeout = Duration.seconds(10)
    /// Timeout for the answer to any other request, at most one day; when it expires, the connection counts as lost.
    public var requestTimeout = Duration.seconds(15)
    /// Interval of pings to the relay, 100 ms to one hour; a shorter interval announced by the relay takes precedence. The connection
    /// counts as lost after two and a half intervals without a message from the relay.
    public var pingInterval = Duration.seconds(5)
    public var reconnect = ReconnectPolicy()

    /// Maximum number of events buffered for one reader or delegate. A slower one loses the oldest events, which are counted.
    public var eventLimit = 4_096
    /// Maximum number of signals queued during a reconnection; further ones fail with `limitReached`.
    public var signalLimit = 256
    /// Maximum number of requests without an answer; further ones fail with `limitReached`.
    public var requestLimit = 1_024

    /// Transport of media; with `automatic` the client chooses among those that the relay supports.
    public var transport = TransportChoice.automatic
    /// Local address to which UDP sockets are bound; nil lets the system choose.
    public var localAddress: String?
    /// Path of a PEM file with the certificates of trusted authorities for `wss` and `https`, in place of the system's; for example the
    /// relay's own certificate if it is self-signed. Nil for the system's.
    public var trustedCertificates: String?
    /// Whether the relay's certificate is verified. Switch it off only in tests with a relay of your own.
    public var checksCertificates = true

    public init() {}
}
