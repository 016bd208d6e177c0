import Signaling

/// Times and limits of the links to other relays.
package struct LinkSettings: Hashable, Sendable {
    /// Maximum time until a TCP connection is established, and again for the TLS handshake. Relays of a cluster are near each other.
    package var connectTime = Duration.seconds(2)
    /// Maximum time from the end of a request to the head of its response. A request may wait at the home relay.
    package var headTime = Duration.seconds(30)
    /// Time between two pings on a WebSocket.
    package var pingInterval = Duration.seconds(5)
    /// Intervals without input after which the peer of a WebSocket is lost.
    package var silentIntervals = 3
    /// Maximum time from the close frame of a WebSocket to the end of its connection.
    package var closingTime = Duration.seconds(2)
    /// Maximum size of a received message in bytes: that of the largest message of a relay.
    package var messageBytes = SignalingProtocol.maximumRelayMessageBytes
    /// Maximum number of fragments of a received message.
    package var messageFragments = 1_024
    /// Maximum number of bytes that are read of a response that refuses a WebSocket.
    package var refusalBytes = 64 << 10
    /// Maximum number of relays whose TLS contexts are kept. A relay that restarts is another one.
    package var contexts = 256

    package init() {}
}
