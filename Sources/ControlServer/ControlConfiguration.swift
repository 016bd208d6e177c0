import Conference
import MediaBase

/// What the HTTP doors are built from.
package struct ControlConfiguration: Sendable {
    /// Numeric address to bind to.
    package var address = "127.0.0.1"
    /// 0: any free port.
    package var port = 7880
    /// Bytes of the request line and header fields of one request.
    package var headerBytes = 16 << 10
    package var bodyBytes = 256 << 10
    /// Bytes of one SDP offer or fragment.
    package var sdpBytes = 64 << 10
    /// Memory of one canvas reader, in bytes.
    package var canvasBytes = 64 << 20
    /// From the first byte of a request to its last.
    package var sendTime = Duration.seconds(10)
    /// From a connection's beginning to the first byte of its first request; never more than `idleTime`.
    package var firstTime = Duration.seconds(10)
    /// A connection without a request is closed after this.
    package var idleTime = Duration.seconds(60)
    /// Open connections at a time, WebSockets included; further ones wait in the listen queue.
    package var connections = 4_096
    /// Open connections of one address, WebSockets included; further ones are refused. See `ClientAddress`.
    package var connectionsPerAddress = 1_024
    /// Lowest descriptor that no accepted connection may have; from it on, accepting pauses.
    package var descriptorCeiling = Int.max
    /// Origins whose pages may call the relay, in addition to its own.
    package var origins = AllowedOrigins()
    /// Names by which the relay may be called if no token is needed, apart from `localhost` and numeric addresses.
    package var hosts: [String] = []
    /// Needed as bearer token by every `/v1` route; nil: none is.
    package var adminToken: String?
    /// Needed as bearer token by every `/whip` route; nil: none is.
    package var publishToken: String?
    /// Needed as bearer token by every `/whep` route; nil: none is.
    package var viewToken: String?
    /// WHIP and WHEP take a token from the URL if the request has no `Authorization`.
    package var takesTokensInURLs = false
    /// Wrong static tokens of one address a minute after which it is refused.
    package var wrongTokensPerMinute = WrongTokenLimiter.defaultLimit
    /// Takes part in development: tokens for the asking.
    package var isDevelopment = false
    /// Named by WHIP and WHEP answers.
    package var iceServers: [ICEServer] = []
    /// Counts the crash reports of earlier runs; nil: there is no directory for them.
    package var crashReports: (@Sendable () -> Int)?
    /// Of the control protocol.
    package var connect = ConnectConfiguration()

    package init() {}

    /// HTTP is bound to an address that only this host reaches.
    package var isOnLoopback: Bool { SocketAddress(address, port: 0)?.isLoopback ?? false }
}
