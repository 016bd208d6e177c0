import Conference
import MediaBase

/// Configuration of the HTTP endpoints.
package struct ControlConfiguration: Sendable {
    /// Numeric address to bind to.
    package var address = "127.0.0.1"
    /// 0: any free port.
    package var port = 7880
    /// Maximum bytes of the request line and header fields of one request.
    package var headerBytes = 16 << 10
    package var bodyBytes = 256 << 10
    /// Maximum bytes of one SDP offer or fragment.
    package var sdpBytes = 64 << 10
    /// Memory of one canvas reader, in bytes.
    package var canvasBytes = 64 << 20
    package var programmes = ProgrammeLimits()
    /// Maximum time from the first byte of a request to its last.
    package var sendTime = Duration.seconds(10)
    /// Maximum time from the start of a connection to the first byte of its first request; never more than `idleTime`.
    package var firstTime = Duration.seconds(10)
    /// Time after which a connection without a request is closed.
    package var idleTime = Duration.seconds(60)
    /// Maximum number of open connections, WebSockets included; further ones wait in the listen queue.
    package var connections = 4_096
    /// Maximum number of open connections of one address (see `ClientAddress`), WebSockets included; further ones are refused.
    package var connectionsPerAddress = 1_024
    /// Lowest descriptor number that accepted connections may not have; when it is reached, accepting pauses.
    package var descriptorCeiling = Int.max
    /// Origins whose pages may call the relay, in addition to its own.
    package var origins = AllowedOrigins()
    /// Names other than `localhost` and numeric addresses that `Host` may contain on routes that need no token.
    package var hosts: [String] = []
    /// Bearer token for every `/v1` route; nil: none is needed.
    package var adminToken: String?
    /// Bearer token for every `/whip` route; nil: none is needed.
    package var publishToken: String?
    /// Bearer token for every `/whep` route; nil: none is needed.
    package var viewToken: String?
    /// Whether WHIP and WHEP accept a token in the URL if the request has no `Authorization`.
    package var takesTokensInURLs = false
    /// Wrong static tokens per minute after which an address is refused.
    package var wrongTokensPerMinute = WrongTokenLimiter.defaultLimit
    /// Whether the relay issues development tokens to anyone who asks.
    package var isDevelopment = false
    /// ICE servers in WHIP and WHEP answers.
    package var iceServers: [ICEServer] = []
    /// Counts the crash reports of earlier runs; nil if there is no directory for them.
    package var crashReports: (@Sendable () -> Int)?
    /// Configuration of the control protocol.
    package var connect = ConnectConfiguration()

    package init() {}

    /// Whether HTTP is bound to an address that only this host can reach.
    package var isOnLoopback: Bool { SocketAddress(address, port: 0)?.isLoopback ?? false }
}
