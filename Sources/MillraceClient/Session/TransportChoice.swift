/// Transport of a session's media between client and relay.
public enum TransportChoice: Hashable, Sendable {
    /// `native` if the relay supports it, otherwise `webRTC`.
    case automatic
    /// SRTP with keys exchanged in the offers and answers of the control connection (SDES), without DTLS handshakes.
    /// Publishing and subscribing fail with `insecureConnection` if the control connection is neither encrypted nor local
    /// to one host.
    case native
    /// DTLS-SRTP, as in browsers.
    case webRTC
}
